"""What is written like PHI and is none is left by rules and models alike; the same writing elsewhere is still found."""

import pytest

from incognote.document import Span
from incognote.rules.guard import guard_spans
from incognote.rules.lookalikes import is_lookalike

OTHERS = [
    ("RPR 1:64, was", "1:64", "DATE"),
    ("family mtg Fri 1500 in", "1500", "DATE"),
    ("died 1915 hours", "1915", "DATE"),
    ("hep 2000 given", "2000", "DATE"),
    ("photos 1-18 on file", "1-18", "DATE"),
    ("checked 7-3, 3-11, 11-7.", "3-11", "DATE"),
    ("new murmur 3/6 in a child", "3/6", "DATE"),
    ("(gave 1963)", "gave", "DATE"),
    ("will winter in Naples", "winter", "DATE"),
    ("answers from 8 to five", "8", "DATE"),
    ("School: grade 9, new", "9", "AGE"),
    ("temp 93 F", "93", "AGE"),
    ("SR 70s, no ectopy", "70s", "AGE"),
    ("colonoscopy due at 45, then", "45", "AGE"),
    ("not for children under 6 years", "6", "AGE"),
    ("Not under age 10.", "10", "AGE"),
    ("partner of 20 yrs", "20", "AGE"),
    ("rtc 6 mo", "6", "AGE"),
    ("tx #35 of 40 today", "40", "AGE"),
    ("MOS 11B, 68W, 88M on file", "88", "AGE"),
    ("at 12 PM", "12", "AGE"),
    ("belongings to locker 20", "20", "ROOM"),
    ("I/O: out 868", "868", "ROOM"),
    ("To OR 2 0018", "0018", "ROOM"),
    ("called x2 today", "x2", "PHONE"),
    ("seen 04.09.2084 2244", "04.09.2084 2244", "PHONE"),
    ("OASIS SOC M0040 Roe M0066 1/2/1936", "M0066", "MEDICALRECORD"),
    ('<Dx code="J45.909">', "J45", "MEDICALRECORD"),
    ("Product E0336V00 exp", "E0336V00", "IDNUM"),
    ("NCT01234567 open", "NCT01234567", "IDNUM"),
    ("HCPCS G0299 billed", "G0299", "IDNUM"),
    ("scope (Olympus BF-2TH190)", "BF-2TH190", "DEVICE"),
    ("window 0130-0600 only", "0130-0600", "IDNUM"),
    ("locker 3l, checked", "locker 3l", "DEPARTMENT"),
    ("bi-rads 1", "bi-rads 1", "DEPARTMENT"),
    ("P 07699 986264", "P", "STATE"),
    ("Has a home aide from", "home aide", "PROFESSION"),
    ("grade 9, teacher Mrs. Byler", "teacher", "PROFESSION"),
    ("Klinefelter syndrome, 47,XXY", "47", "AGE"),
    ("pain 6/10, given Tylenol, recheck 4/10", "4/10", "DATE"),
    ("address: homeless", "homeless", "CITY"),
    ("on duty 0700-1500 daily", "0700-1500", "PHONE"),
    ("logged in at WS today", "WS", "IPADDR"),
    ("ED notes   Arr 1912   Triage", "1912", "DATE"),
    ("ED notes   Arr 1912   Triage", "Arr 1912", "DATE"),
    ("0230 vomited. Clexane given 2000. Up 2215.", "2000", "DATE"),
    ("dc home 0130 2/19", "0130", "DATE"),
    ("NPO since 2200 4/3. UPT neg", "2200", "DATE"),
    ("VISIT - 14.11.24 10.10 Access", "10.10", "DATE"),
    ("Seen 03:20 10 Feb", "20", "DATE"),
    ("DKA 2/2 missed Lantus", "2/2", "DATE"),
    ("septic shock 2/2 SBP, ARDS", "2/2", "DATE"),
    ("valsartan 24/26 bid", "24/26", "DATE"),
    ("Mon 161/99, yest", "161/99", "DATE"),
    ("sestamibi 10.2/31.4 mCi", "10.2/31.4", "DATE"),
    ("MOCA 11/30. BABINSKI", "11/30", "DATE"),
    ("batch 4, 9/13 doses last yr", "9/13", "DATE"),
    ("c/o 4/10 incisional pain, Percocet x1 with relief 2/10.", "2/10", "DATE"),
    ("DOB 21/03/1949, r/v by JMO, PAC attended 4/24,", "4/24", "DATE"),
    ("Mum rang GP: next script 6/12.", "6/12", "DATE"),
    ("| TTO, fragmin 5/7 |", "5/7", "DATE"),
    ("DOL 3  PMA 31 4/7  Date", "31 4/7", "DATE"),
    ("Visiting is 9-7, two", "9-7", "DATE"),
    ("friday 7-3 jenny", "7-3", "DATE"),
    ("Mucositis gr 1-2: wash", "1-2", "DATE"),
    ("rib fx #5-7. SW", "5-", "DATE"),
    ("on bup 16 til", "bup 16", "DATE"),
    ("after his third fall, on", "third fall", "DATE"),
    ("CCU NSG NOTE 7P-7A", "7P-7A", "ROOM"),
    ("Sat on edge of bed 2200 with x1", "2200", "ROOM"),
    ("RM 2  1030  VICTOR, S", "1030", "ROOM"),
    ("ans 0718  in rm 0722  ind 0731  inc 0759", "0722", "ROOM"),
    ("We prayed Psalm 139 at", "139", "ROOM"),
    ("D as in David", "David", "PATIENT"),
    ("wife Marilou (90% reliable)", "90", "AGE"),
    ("so a 6th grader can read", "6th", "AGE"),
    ("IMPACT 6-mo mortality 34%", "6", "AGE"),
    ("a cry at 5 in the morning", "5", "AGE"),
    ("F2 (8.1 kPa), age > 40, father", "40", "AGE"),
    ("piano mover × 30 y (silica)", "30", "AGE"),
    ("Number of children: 5", "5", "AGE"),
    ("Years of education:\t18", "18", "AGE"),
    ("Prayed Psalm 23, blessed", "23", "AGE"),
    ("K 4, Cl 99", "4", "AGE"),
    ("consent in German via", "German", "COUNTRY"),
    ("15 y.o. sophomore at Beaumont", "sophomore", "PROFESSION"),
    ("Older brother (4, preschool)", "preschool", "PROFESSION"),
    ("POLYP   Proc 58558", "58558", "LICENSE"),
    ("after his third fall since", "third", "DATE"),
    ("after his third fall since", "fall", "DATE"),
    ("Lawton 7/8 per niece", "7/8", "DATE"),
]
PHI = [
    ("seen 1/6 here", "1/6", "DATE"),
    ("in 1963 she", "1963", "DATE"),
    ("due 8-20, not sure", "8-20", "DATE"),
    ("since last winter", "winter", "DATE"),
    ("on Sat with", "Sat", "DATE"),
    ("the 4th and 9 of May", "9", "DATE"),
    ("he is 9, new", "9", "AGE"),
    ("in her 70s, well", "70s", "AGE"),
    ("dx at 45, then", "45", "AGE"),
    ("a 6 mo old boy", "6", "AGE"),
    ("Mr Roe in 412W", "412W", "ROOM"),
    ("OASIS M0063 ZGD906639823", "ZGD906639823", "HEALTHPLAN"),
    ("MRN M0066218", "M0066218", "MEDICALRECORD"),
    ("case 1042-2213 closed", "1042-2213", "IDNUM"),
    ("accession no. 48213-7", "48213-7", "IDNUM"),
    ("station 00-1B-44-11-3A-B7", "00-1B-44-11-3A-B7", "IPADDR"),
    ("seen 4/10 and again", "4/10", "DATE"),
    ("SN BF-2TH190", "BF-2TH190", "DEVICE"),
    ("retired teacher, lives", "teacher", "PROFESSION"),
    ("works as a driver for", "driver", "PROFESSION"),
    ("Ward 4B", "Ward 4B", "DEPARTMENT"),
    ("snoring since ~2015. Epworth", "2015", "DATE"),
    ("Pneumovax given 2015.", "2015", "DATE"),
    ("CABG 1987, quit", "1987", "DATE"),
    ("in 2019 4/3 nodes", "2019", "DATE"),
    ("BCG 04/20, OPV", "04/20", "DATE"),
    ("til 2/2, hep c", "2/2", "DATE"),
    ("labs 2/2 show", "2/2", "DATE"),
    ("pain since 4/10", "4/10", "DATE"),
    ("on 8/10 with good result. OT 9/10 5th ray", "9/10", "DATE"),
    ("last dose 2/10), hold", "2/10", "DATE"),
    ("Mum seen by GP on 5/7", "5/7", "DATE"),
    ("MED3 from GP, mum: 19/6 - 3/7.", "3/7", "DATE"),
    ("DOB 03/21/1949, attended 4/24,", "4/24", "DATE"),
    ("next visit 6/12.", "6/12", "DATE"),
    ("pen teaching Tusday. f/u", "Tusday", "DATE"),
    ("last fall she", "fall", "DATE"),
    ("surgery Mon 7-3, arrive", "Mon 7-3", "DATE"),
    ("Mr Roe in bed 2200", "2200", "ROOM"),
    ("rm 0722, window", "0722", "ROOM"),
    ("She was in Crumlin over", "Crumlin", "CITY"),
    ("Stavros K 43, plasterer", "43", "AGE"),
    ("2 kids <5 (Lwazi, Amahle)", "5", "AGE"),
    ("child of 6 in the ward", "6", "AGE"),
    ("moved here from Germany", "Germany", "COUNTRY"),
    ("traveled from Marietta, GA with", "GA", "STATE"),
    ("preschool aide", "preschool aide", "PROFESSION"),
    ("since last fall she", "fall", "DATE"),
]


def place(text: str, value: str, label: str) -> Span:
    start = text.index(value)
    return Span(start, start + len(value), label, 0.99, "model.default")


@pytest.mark.parametrize(("text", "value", "label"), OTHERS)
def test_what_its_line_explains_is_no_phi(text: str, value: str, label: str) -> None:
    span = place(text, value, label)
    assert is_lookalike(span, text)
    assert guard_spans([span], text) == []


@pytest.mark.parametrize(("text", "value", "label"), PHI)
def test_what_nothing_explains_stays(text: str, value: str, label: str) -> None:
    span = place(text, value, label)
    assert not is_lookalike(span, text)
    assert guard_spans([span], text) == [span]


def test_labels_without_a_check_are_never_explained() -> None:
    assert not is_lookalike(Span(0, 3, "EMAIL"), "1:1")
