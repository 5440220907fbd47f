"""The degrees and roles written after a clinician's name, as one expression."""

_DEGREES = r"""
    M\.?[ ]?D  D\.?O  Ph\.?[ ]?D  R\.?N  N\.?P  P\.?A  PA-C  P\.A\.-C  APRN  ARNP  FNP(?:-C)?  CNP  CRNP  CRNA  CNM  LPN  LVN  CNA
    CMA  RRT  RPh  Pharm\.?[ ]?D  D\.?D\.?S  DMD  D\.?P\.?M  DPT  OTR(?:/L)?  PT  SLP  CCC-SLP  RD  LDN  MSW  LCSW  LICSW  LMSW  LMFT  LMHC
    LPC  Psy\.?D  M\.?P\.?H  M\.?S  M\.?Sc  M\.?A  MBA  BSN  MSN  DNP  MB[ ]?BS  MB[ ]?BCh  MBChB  MRCP  FRCPC?  FRCS  FACP  FACC  FACS
    FAAP  FACOG  FCCP
    PGY-?\d  CCRN  RDCS  RVT  Esq
"""
DEGREE = "(?:" + "|".join(_DEGREES.replace("[ ]?", "[_]?").split()).replace("[_]", "[ ]") + r")(?![A-Za-z])\.?"
# One or more of them after a name, with or without commas.
DEGREES = rf"(?:(?:,[ \t]*|[ \t]+)\(?{DEGREE}\)?(?:[ \t]*[,/][ \t]*{DEGREE}){{0,4}})"
