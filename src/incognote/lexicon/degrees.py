"""The degrees and roles written after a clinician's name, as one expression."""

_DEGREES = r"""
    M\.?[ ]?D  D\.?O  Ph\.?[ ]?D  R\.?N  N\.?P  P\.?A  PA-C  P\.A\.-C  APRN  ARNP  FNP(?:-C)?  CNP  CRNP  CRNA  CNM  LPN  LVN  CNA
    CMA  RRT  RPh  Pharm\.?[ ]?D  D\.?D\.?S  DMD  D\.?P\.?M  DPT  OTR(?:/L)?  PT  SLP  CCC-SLP  RD  LDN  MSW  LCSW  LICSW  LMSW  LMFT  LMHC
    LPC  Psy\.?D  M\.?P\.?H  M\.?S  M\.?Sc  M\.?A  MBA  BSN  MSN  DNP  MB[ ]?BS  MB[ ]?BCh  MBChB  MRCP  FRCPC?  FRCS  FACP  FACC  FACS
    FAAP  FACOG  FCCP
    PGY-?\d  CCRN  RDCS  RVT  Esq
    NNP(?:-BC)?  CPNP(?:-[AP]C)?  FNP(?:-BC)?  PMHNP(?:-BC)?  ACNP(?:-BC)?  AGNP(?:-C)?  AGACNP(?:-BC)?  WHNP(?:-BC)?  GNP  ENP  NP-C  CNS
    PTA  COTA(?:/L)?  OT  EMT(?:-[PBIA])?  NREMT(?:-P)?  NRP  CCDS  CRRN  CDCES  CDE  IBCLC
    CCLS  CADC  LADC  LCADC  LCPC  LPCC  ADC  ATC  LAT  LMT  LSW  LBSW
    OD  AuD  DVM  RDN  RDMS  RTR  RT  CST  CPhT  CNOR  CHPN  OCN  CEN  RGN  RMN  RSCN  SRN  MRCGP  MRCPsych  MRCS
    MRCOG  FRCA  FRCPath
    FRCOG  FRACP  FRACGP  FRACS  FRANZCP  FACEP  FAAN
    DC  NMD  LAc  RDH  FRACGP  FANZCA  CCFP  MRCPCH  FFICM  DGO  DCH  F\.A\.C\.[SPC]\.?  SANE-A  FHFMA
    WOCN  CWOCN  CWON  CWCN  CWS  RNC(?:-OB)?  C-EFM  MHA  MHS  MMSc  MPAS  DHSc  ScD  EdD  M\.?Ed  MFT  LCMHC  CCM  RHIT  RHIA
    COMT  FAAOS  FACE  FAPA  FASN  FCAP  FACR  DABR  CCRC  CCRP  CNL  CPN  CPON  CHPLN  BCC  CTRS  MT-BC
    CCC-A  FAAA  LD  CSO  CNSC  CSSD  BCPS  BCOP  BCACP  AAHIVS  CGC
    FAHA  FSCAI  FIDSA  FASCO  DNB  MCh  R[1-5]  Band[ ]?[2-9]  ST[1-8]  FY[12]  CT[1-3]  MS[34]  SHO  SpR  BCBA
"""
DEGREE = "(?:" + "|".join(_DEGREES.replace("[ ]?", "[_]?").split()).replace("[_]", "[ ]") + r")(?![A-Za-z])\.?"
# One or more of them after a name, with or without commas.
DEGREES = rf"(?:(?:,[ \t]*|[ \t]+)\(?{DEGREE}\)?(?:[ \t]*[,/][ \t]*{DEGREE}){{0,4}})"
