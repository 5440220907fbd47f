"""Laws of the language that rules state, each where it must speak and where it must be silent."""

import pytest

from incognote.document import Span
from tests.judged import find_by_rules, trim_spans

FOUND = [
    # rooms and wards
    ("cat 2 -> resus 1, seen", "1", "ROOM"),
    ("Triage cat 3   Majors 6\n19M", "6", "ROOM"),
    ("moved to rm 9-247b today", "9-247b", "ROOM"),
    ('bd 6 "Unk Oscar" ~60', "6", "ROOM"),
    ("stable to PACU, then to 3B.", "3B", "DEPARTMENT"),
    ("PV1|1|I|3N^311^A|||||1188^ROE^ELISE", "A", "ROOM"),
    # days and years
    ("Sun 158/97, Mon 161/99", "Sun", "DATE"),
    ("He had a stroke in twenty eighteen too.", "twenty eighteen", "DATE"),
    ("born in nineteen forty-two,", "nineteen forty-two", "DATE"),
    ("fasting for Eid this year", "Eid", "DATE"),
    ("BiPAP started on 12/5, off", "12/5", "DATE"),
    # ages
    ("DOB 02/08/24, now 14 weeks. Mum", "14", "AGE"),
    ("cutting since 13. thc daily", "13", "AGE"),
    ("RRMS dx at 19, JCV 0.22", "19", "AGE"),
    ("He smoked from 7 on.", "7", "AGE"),
    # places
    ("Etobicoke ON  M9P 0X0", "ON", "STATE"),
    ("Halifax, NS B3H 4R2", "NS", "STATE"),
    ("Wirrabilla Base Hospital, NSW\nMRN", "NSW", "STATE"),
    ("Unit 9/22 Pelican St Tewantin", "Unit 9/22 Pelican St", "STREET"),
    ("Lives at 4/12 Grey Street, Perth", "4/12 Grey Street", "STREET"),
    ("Lives: 7/14 Rathgar Ave, Dublin", "7/14 Rathgar Ave", "STREET"),
    ("Flat 2/1, 48 Byres Road, Glasgow", "Flat 2/1, 48 Byres Road", "STREET"),
    ("moved to the unit 3/27 with fever", "3/27", "DATE"),
    ("12 High St, Parramatta 2010", "Parramatta", "CITY"),
    ("corner of Broadway and 4th, then", "Broadway and 4th", "STREET"),
    # letterheads
    ("RIDGEWAY CARDIOVASCULAR CONSULTANTS\n2200 Holcomb Avenue", "RIDGEWAY CARDIOVASCULAR CONSULTANTS", "HOSPITAL"),
    ("MERRIVALE DIAGNOSTIC IMAGING\nEXAM: MRI", "MERRIVALE DIAGNOSTIC IMAGING", "HOSPITAL"),
    ("HARGREAVE, STOLTZ & PINE LLP\n2200", "HARGREAVE, STOLTZ & PINE LLP", "ORGANIZATION"),
    ("MS AURELIA BAY — MEDICAL CENTRE", "MS AURELIA BAY", "LOCATION-OTHER"),
    # numbers
    ("PRBC 2 (W0382 24 118827, W0382 24 118830)", "W0382 24 118830", "IDNUM"),
    ("Lab no. CK 18844", "CK 18844", "IDNUM"),
    # people
    ("Ghulam Fatima W/O Muhammad Aslam   47y F", "Muhammad Aslam", ""),
    ("isolette C-07. Twin B Luc in C-08", "Luc", "PATIENT"),
    ("Employer Mdm Tan is waiting", "Tan", "PATIENT"),
    ("Films read by Jones (radiology)", "Jones", "DOCTOR"),
    ("Vein harvested by Weber.", "Weber", "DOCTOR"),
    ("husband Leopold.", "Leopold", "PATIENT"),
    ("Twin sister Ivy, well", "Ivy", "PATIENT"),
    ("Next: Mon/Thurs\nS Prosser Band 5\n", "S Prosser", "DOCTOR"),
    ("2 ch - Ezra 6 + Temi 3, both at", "Temi", "PATIENT"),
    ("Emp NEVADA COUNTY LIBRARY  Occ LIBRARIAN\n", "LIBRARIAN", "PROFESSION"),
    ("CT 11/14 clear, pain 4/10, vision 20/20", "11/14", "DATE"),
    ("Hgb 8.2, transfused 11/14", "11/14", "DATE"),
    ("Hospital for Special Surgery", "Hospital for Special Surgery", "HOSPITAL"),
    ("Handover: Thomas, Mary Ann 45F", "Thomas, Mary Ann", "PATIENT"),
    ("Seen by Kessler, Thomas yesterday.", "Kessler, Thomas", ""),
    ("Pump checked. JM RN", "JM", "DOCTOR"),
    ("Transferred to United Hospital.", "United Hospital", "HOSPITAL"),
    ("crown $1,240, Cigna 50% after", "Cigna", "ORGANIZATION"),
    ("transferred from Mayo on 12/3", "Mayo", "HOSPITAL"),
    ("moved to chair 6, comfortable", "6", "ROOM"),
    ("S/R 10-12 at PCP", "10-12", "DATE"),
    ("BP log: FRI 128/84", "FRI", "DATE"),
    ("born in Asmara, Eritrea", "Asmara", "CITY"),
    ("retired bus driver", "bus driver", "PROFESSION"),
]
LEFT = [
    ("She moved here from Cork, Ireland.", "Cork, Ireland"),
    ("Seen in the 3rd week of January", "3rd week of"),
    ("HFpEF (PMID: 31234567)", "31234567"),
    ("which nerve: Saturday-night palsy, handcuff", "Saturday"),
    ("Cochrane 2021; FOOD trial", "Cochrane"),
    ("equivalents from 6/6 to 6/60, please", "6/60"),
    ("BiPAP is still on 12/5, rate 14", "12/5"),
    ("Cooler 36-46 F ok. Epi", "36"),
    ("CKD stage 3A, progressed, then to 3B.", "3B"),
    ("titrate up to 3 Bags", "3"),
    ("Sat 94/RA today", "Sat"),
    ("in twenty ten minutes sessions", "twenty ten"),
    ("Ocrevus vs Tysabri EID vs Kesimpta?", "EID"),
    ("pain now 3 weeks.", "3"),
    ("diagnosed at 12 weeks by scan", "12"),
    ("ON METFORMIN 500", "ON"),
    ("Plan discussed, act on", "act"),
    ("infusion on December 4th at Laurel Ridge", "4th at Laurel"),
    ("P> O2 via FM 10 lpm, Furosemide", "FM 10"),
    ("11/9  0915  WR Dr Lawson", "0915  WR Dr"),
    ("DEPARTMENT OF RADIOLOGY\nCT HEAD", "DEPARTMENT OF RADIOLOGY"),
    ("PROGRESS NOTE CARDIOLOGY\nS: well", "PROGRESS NOTE CARDIOLOGY"),
    ("MS EXAM — normal", "MS EXAM"),
    ("Labs: CK 188, MB 9.2", "CK 188"),
    ("Exam: FF 130, ER 45", "FF 130"),
    ("RRR, S4, II/VI SEM at LUSB", "VI SEM"),
    ("no decels = Cat I. Leopold vtx", "I. Leopold"),
    ("Baby DAT neg, group O pos", "DAT"),
    ("R Penhaligon CT1 EM\n", "EM"),
    ("2. PVD - ABI, hold Pletal", "ABI"),
    ("fever, definite by Jones (polyarthritis + fever)", "Jones"),
    ("hips by Garden, ankles by Weber, necks", "Weber"),
    ("before the first bag? Cheers, Ruairí (Strule)", "Cheers"),
    ("seen in clinic. Male. Lives with wife", "Male"),
    ("All: PCN Call HO: T>38.5 HR>120", "Call"),
    ("Stress echo: 10.1 METS, Bruce stage 4", "METS"),
    ("case opened with Frau Pichler, tel", "Frau"),
    ("at student health by NP Gallo, stopped", "NP"),
    ("Adm 7/10/2021  Sep 12/10/2021", "Sep"),
    ("CAG: R radial, 6F EBU 3.5", "6"),
    ("MMT 4-/5. Ober, Thomas, Ely +; Thessaly -.", "Ober, Thomas"),
    ("lice 1/24, beds 22/24, icu 11/12, met", "11/12"),
    ("hist 5/20, saline 0/0, cat 12/35", "5/20"),
    ("Epworth 11/24. PHQ-9 is 6", "11/24"),
    ("BA by Greulich-Pyle 11 6/12; TW3", "6/12"),
    ("Path back: pT3 N1a (1/19) margins", "1/19"),
    ("Mantoux n/a. Rev 2/12", "2/12"),
    ("HOYER TO CHAIR X2 STAFF", "X2"),
    ("dog on bed 1056h. RR 8", "1056"),
    ("transfers bed 3, toilet 3", "3"),
    ("at Republic Emmanuel Medical Center for Keary Leder", "Medical Center for"),
    ("Ins Foster Mutual D7240 x4", "Ins Foster Mutual"),
    ("a right-dominant council member, was", "right-dominant council member"),
    ("falls risk: Morse 45 and Braden 14, alarm", "Morse"),
    ("Lasix 40 and Coreg 25 mg", "Coreg"),
    ("occ cough, dry", "cough"),
    ("early rehab. EI OT Maria home wkly", "EI"),
    ("worried. Conveyed Cupit Psychiatric Hospital", "Conveyed"),
    ("BY JEAN. F/U COMPASSION HEALTH CENTER SAT", "U"),
    ("Mifflin 1,540 x1.3; Penn State 1,702.", "Penn State"),
    ("the risk is 18% and by Mayo 19%.", "Mayo"),
    ("Hoyer to chair x2 staff", "x2"),
    ("box room 2 of 4 on the label", "2"),
    ("2nd pass, OP 34 cm H2O, clear", "34"),
    ("OR: 14 cases, 3 need beds", "14"),
    ("flare d5, 10 BM/24h w/ blood", "10"),
    ("Norton 12, Braden 15", "12"),
    ("VCI 73 VSI 96 FRI 97 WMI 72", "FRI"),
    ("S/R 10-12 d at PCP", "10-12"),
    ("40, 1.4 cm SPN, Mayo risk 38%", "SPN"),
    ("Co. Sligo, Eircode F52 X4Y7", "Eircode"),
    ("Site: R IJ   US done", "R IJ"),
    ("to serve as your physician as of", "your physician"),
    ("a sixty-three-year-old stocker who", "year-old stocker"),
    ("Blood A POS\nDOI 17 JUN 24 0640Z", "DOI"),
    ("Daycare at Little Acorns 3 d/wk.", "Little Acorns 3"),
    ("Infirmary, Dept of Rheumatology\nOur ref", "Dept of Rheumatology"),
    ("FMLA / CERTIFICATION OF HEALTH CARE PROVIDER", "CERTIFICATION OF HEALTH CARE"),
]


@pytest.mark.parametrize(("text", "value", "label"), FOUND)
def test_it_is_found(text: str, value: str, label: str) -> None:
    found = [(text[span.start : span.end], span.label) for span in find_by_rules(text)]
    assert any(one == value and label in ("", named) for one, named in found), found


@pytest.mark.parametrize(("text", "value"), LEFT)
def test_it_is_left(text: str, value: str) -> None:
    start = text.index(value)
    end = start + len(value)
    found = [span for span in find_by_rules(text) if span.start <= start and span.end >= end]
    assert not found, [(text[span.start : span.end], span.label, span.source) for span in found]


@pytest.mark.parametrize(
    ("value", "rest", "kept"),
    [
        ("SW", " (P. Hatfield): strain", ""),
        ("JMO Amar", " notified", "Amar"),
        ("FN Bautista", ", crew", "Bautista"),
        ("Emerg ABDULLAH, KARIM", " (SPOUSE)", "ABDULLAH, KARIM"),
        ("Bruno,M", ",1957-02-14", "Bruno"),
        ("Thandeka N.  F", " 36", "Thandeka N."),
        ("Theatre 4", "   22/06/2021", "4"),
        ("Jamal Amar", " notified", "Jamal Amar"),
        ("Circulator M. Tubbs", " RN, scrub", "M. Tubbs"),
        ("Chen W", " 91M PNA", "Chen W"),
        ("Bruno, M", " aged 4", "Bruno, M"),
    ],
)
def test_roles_and_sexes_at_the_edge_of_a_name_go(value: str, rest: str, kept: str) -> None:
    label = "DEPARTMENT" if value.startswith("Theatre") else "DOCTOR"
    assert "".join((value + rest)[span.start : span.end] for span in trim_spans([Span(0, len(value), label)], value + rest)) == kept
