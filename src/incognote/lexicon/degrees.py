"""The degrees and roles written after a clinician's name, each spelled out once."""

import re

# After the name of a person they are nothing else. A point may be left out.
_PLAIN = """
    M.D D.O Ph.D R.N N.P P.A PA-C APRN ARNP FNP-C FNP CNP CRNP CRNA CNM LPN LVN CNA CMA RRT RPh Pharm.D D.D.S D.M.D D.P.M DPT OTR/L OTR
    CCC-SLP M.S.W LCSW LICSW LMSW Psy.D M.P.H MBA BSN MSN DNP M.B.B.S MBChB FRCS FRCP FACP FACC FACS FAAP FACOG DVM EdD DC OD Esq
"""
# These are also words, initials or surnames, or are written in several ways: expressions.
_MORE = r"""
    P\.A\.-C  FNP(?:-BC)?  PT  SLP  RD  LDN  LMFT  LMHC  LPC  M\.?S  M\.?Sc  M\.?A  MB[ ]BS  MB[ ]?BCh  MRCP  FRCPC  FCCP
    PGY-?\d  CCRN  RDCS  RVT
    NNP(?:-BC)?  CPNP(?:-[AP]C)?  PMHNP(?:-BC)?  ACNP(?:-BC)?  AGNP(?:-C)?  AGACNP(?:-BC)?  WHNP(?:-BC)?  GNP  ENP  NP-C  CNS
    PTA  COTA(?:/L)?  OT  EMT(?:-[PBIA])?  NREMT(?:-P)?  NRP  CCDS  CRRN  CDCES  CDE  IBCLC
    CCLS  CADC  LADC  LCADC  LCPC  LPCC  ADC  ATC  LAT  LMT  LSW  LBSW
    AuD  RDN  RDMS  RTR  RT  CST  CPhT  CNOR  CHPN  OCN  CEN  RGN  RMN  RSCN  SRN  MRCGP  MRCPsych  MRCS  MRCOG  FRCA  FRCPath
    FRCOG  FRACP  FRACGP  FRACS  FRANZCP  FACEP  FAAN  NMD  LAc  RDH  FANZCA  CCFP  MRCPCH  FFICM  DGO  DCH  F\.A\.C\.[SPC]\.?  SANE-A
    FHFMA  WOCN  CWOCN  CWON  CWCN  CWS  RNC(?:-OB)?  C-EFM  MHA  MHS  MMSc  MPAS  DHSc  ScD  M\.?Ed  MFT  LCMHC  CCM  RHIT  RHIA
    COMT  FAAOS  FACE  FAPA  FASN  FCAP  FACR  DABR  CCRC  CCRP  CNL  CPN  CPON  CHPLN  BCC  CTRS  MT-BC
    CCC-A  FAAA  LD  CSO  CNSC  CSSD  BCPS  BCOP  BCACP  AAHIVS  CGC
    FAHA  FSCAI  FIDSA  FASCO  DNB  MCh  R[1-5]  Band[ ]?[2-9]  ST[1-8]  FY[12]  CT[1-3]  MS[34]  SHO  SpR  BCBA
"""
_SPACED = ("M.D", "Ph.D", "Pharm.D")


def _write(degree: str) -> str:
    return degree.replace(".", r"\.?[ ]?" if degree in _SPACED else r"\.?")


# As they are compared: in small letters, without points.
PLAIN_DEGREES = frozenset(_PLAIN.replace(".", "").lower().split())
# Of those who sign at the bedside, by their initials too.
BEDSIDE_DEGREES = tuple("rn md np pa lpn lvn cna do rph pharmd crna cnm ma rrt".split())
DEGREE = "(?:" + "|".join([*map(_write, _PLAIN.split()), *_MORE.replace("[ ]", "[_]").split()]).replace("[_]", "[ ]") + r")(?![A-Za-z])\.?"
# One or more of them after a name, with or without commas.
DEGREES = rf"(?:(?:,[ \t]{{0,20}}|[ \t]{{1,20}})\(?{DEGREE}\)?(?:[ \t]*[,/][ \t]*{DEGREE}){{0,4}})"
_POINTED = "|".join(degree.replace(".", r"\.\s?") for degree in _PLAIN.split() if "." in degree)
_POINTED_DEGREE = re.compile(rf"(?<=[\s,])(?:{_POINTED}|P\.A\.?-C)\b\.?", re.IGNORECASE)


def without_points(name: str) -> str:
    """A name with the points of its degrees left out.

    >>> without_points("Jane Q. Roe, Ph. D., R.N.")
    'Jane Q. Roe, PhD, RN'
    """
    return _POINTED_DEGREE.sub(lambda degree: re.sub(r"[.\s]", "", degree[0]), name)
