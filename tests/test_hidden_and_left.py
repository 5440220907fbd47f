"""What is hidden and what is left where the two look alike, in texts by somebody who had not read the rules.

Every character inside «these» must be hidden, every character inside [these] must be left. People and places are made up.
"""

from functools import cache

import pytest

from incognote import Deidentifier

MARKS = {"«": "hidden", "[": "left", "»": None, "]": None}

TITLES = [
    "Patient: «Don Carter»\nMRN: «4471902»\n[Reason for visit]: [right knee pain] after a fall from a [ladder].",
    "Pt name: «Reg Hollis». [Presents with] productive [cough]. «Reg» [reports] he has slept poorly. [Plan]: CXR.",
    "«Justice Oyelaran» is a G2P1 here for her [anatomy scan]. «Justice» [denies bleeding] or leaking. [Fetal movement] present.",
    "PHONE MESSAGE 14:40\nCaller: «Nana Boateng» (patient)\n[Wants refill of] amlodipine. [Call back] before close: «555-013-4471».",
    "Name: «Ji Hoon Pak»\n[Allergies]: sulfa\n«Ji Hoon» was [reviewed at the bedside] with his wife.",
    "«Sho Tanemura» attended [clinic today]. «Sho» has [stopped smoking] and [is walking] two blocks.",
    "Re: «Gen Whitcombe»\nThank you for [seeing] «Gen», who has had [intermittent palpitations] since the spring.",
    "Mr. «Hon Wai Cheung» was [seen in diabetic clinic]. [HbA1c] improved. [Plan] continue metformin.",
    "PATIENT: «DEACON MARSHBANKS»\n[CHIEF COMPLAINT]: [CHEST TIGHTNESS]\n[HPI]: MR. «MARSHBANKS» [WAS MOWING] WHEN IT STARTED.",
    "Dear Dr. «Fairweather»,\nThank you for referring «Bishop Tallant» with [recurrent gout]. «Bishop» [takes allopurinol] now.",
    "[Discharge summary]\nPatient: «Marshal Kobrin»\n[Admitted with] cellulitis of the [left leg]. «Marshal» [did well] on cefazolin.",
    "Paeds ward round. «Elder Quispe», [bronchiolitis day 3], sats fine on air. Mum happy to take «Elder» [home later].",
    "«Pastor Villalobos Ruiz» [returns for] his [blood pressure check]. [No headaches].",
    "Patient's name: «Lord Ampofo». [Sickle cell disease], [in pain crisis]. «Lord» [prefers oral fluids].",
    "IDENTIFICATION: «Lady Marcela Quintero», [right-handed], [here with] her husband «Duke Quintero».",
    "Pt: «Ma Thandar Win»  [Dx]: [latent TB]  [Rx]: rifampicin\n«Ma Thandar» [tolerating well].",
    "Nama/Name: «Imam Wahyudi»\n[Post-op day two] from hernia repair. «Imam» is [passing flatus].",
    pytest.param(
        "«Judge Ballenger» is [a pleasant gentleman] with [heart failure]. He goes by «Judge». [No edema].",
        marks=pytest.mark.xfail(strict=True, reason="the given name Judge is read as a title, even after `goes by`"),
    ),
    "Name: «Major Tolliver»  Sex: [M]\n[Assessment]: [major depression], recurrent. «Major» [agrees to] sertraline.",
    "Spoke to «Earl Dankworth» by phone. «Earl» [will stop the] warfarin. His brother «Prince Dankworth» [will drive him].",
    "mom called, «Chance» has a [fever again], no [chance] he took the antibiotic. [Told her] to bring him in.",
    "«Dean Purcell-Hobbs», [routine skin check]. «Dean» [noticed a mole] on the [left shoulder].",
    pytest.param(
        "Handover: bed by the window is «Rev Bannerjee», [awaiting echo]. «Rev» is [short for] «Revathi».",
        marks=pytest.mark.xfail(strict=True, reason="the given name Rev is read as a title"),
    ),
    "Patient: «Captain Mbeki»\n«Captain» is his [given name]. [Seen for] cataract follow up.",
    pytest.param(
        "Pt «Sargent Loudermilk», his wife «Sister Loudermilk» [at bedside]. [Code status]: full.",
        marks=pytest.mark.xfail(strict=True, reason="the given name Sister, after `his wife`, is read as a title"),
    ),
    "Baby of «Baron Estevez» and «Precious Estevez», [term male], [Apgars] 8 and 9.",
    "[Gen.] «Ashdown» (ret.) was [brought in by] his daughter. The general is [confused at night].",
    "[Judge] «Marian Telfer» [signed the order] for involuntary hold. The [judge] [will review it].",
    "[Sister] «Mary» [on the ward] [changed the dressing]. [Sister] [says wound is clean].",
    "The [Deacon] [visited] and [prayed with the family]. [Chaplain] «Ruth Adeline Poole» [stayed on].",
    pytest.param(
        "[Rev.] «Alma Dupree» and [Pastor] «Jim Osterhaus» [visited this afternoon]. [Patient comforted].",
        marks=pytest.mark.xfail(strict=True, reason="a Pastor who visits is hidden with his name"),
    ),
    pytest.param(
        "[Imam] «Yusuf Karimov» [was called] to the bedside at the [request of the family].",
        marks=pytest.mark.xfail(strict=True, reason="an Imam who was called is hidden with his name"),
    ),
    "[Captain] «Lowery» of the [fire crew] [reports smoke exposure] of ten minutes. [Sgt.] «Pruitt» [took a statement].",
]

TRAITS = [
    "[She is a transgender man] [who prefers he/him] and [takes testosterone] weekly.",
    "[He identifies as nonbinary] and [was assigned female at birth]. [Partner is supportive].",
    "SOCIAL HX: [UNHOUSED VETERAN], [SLEEPS IN CAR]. [DENIES IVDU]. [SMOKES] 1 PPD.",
    "[Tagalog speaker], [interpreter used] throughout. [Understands some English].",
    "[Practicing Buddhist], [vegetarian], [declines gelatin capsules]. [Married], two children.",
    "[Lesbian couple] [presenting for donor insemination]. Ms. «Anneke Holroyd» will [carry the pregnancy].",
    "[Jehovah's Witness], [refuses blood products]. [Advance directive] in chart.",
    "[Divorced], [lives alone], [left-handed], [lactose intolerant]. Works as a «welder».",
    pytest.param(
        "[Asylum seeker], [arrived by boat], [speaks Tigrinya only]. [Screen for TB] and hepatitis B.",
    ),
    "[Homeless] since losing work as a «bricklayer». [Couch surfing] with [friends].",
    "She is a «shelter manager» [and lives with] her [wife]. [Identifies as queer].",
    pytest.param(
        "[Devout Muslim], [fasting for Ramadan], [wants insulin adjusted]. [Occupation]: «taxi driver».",
        marks=pytest.mark.xfail(
            strict=True, reason="Ramadan in `fasting for Ramadan` is hidden; arguable, i2b2 2014 counts holidays as dates"
        ),
    ),
    "Family and social: [widowed], [three grown sons], [eats halal]. Retired «schoolteacher».",
    "[Bisexual male] [on PrEP], [two partners] in the past quarter, [uses condoms sometimes].",
    "Catholic «priest» by profession, [here for] [hoarseness] after a long week of services.",
    "[Stressed] by travel: he is a «motivational speaker». [Native Spanish speaker]. [Sleeps badly].",
    "[Strict vegan], [Jain by faith], [right hand dominant], [joint family]. [B12 low].",
    pytest.param(
        "[Undocumented], [uninsured], [afraid to attend]. [Monolingual Mixteco speaker]. Picks fruit as a «farmworker».",
    ),
    pytest.param(
        "[Aboriginal and Torres Strait Islander]: [yes]. [Lives in public housing] with [her nan]. [Non-drinker].",
        marks=pytest.mark.xfail(strict=True, reason="Torres Strait Islander is hidden"),
    ),
    "[Gay man], [monogamous], [HIV negative]. «Flight attendant», [flies long haul].",
    pytest.param(
        "Lives in [sheltered accommodation], [carers four times a day], [hard of hearing], [Welsh speaking].",
        marks=pytest.mark.xfail(strict=True, reason="the language Welsh is hidden"),
    ),
    "[Single mother of twins], [breastfeeding], [atheist], [denies domestic violence].",
    "[Unmarried], [mixed diet], [Hindi and Marathi speaking], [Hindu], «auto rickshaw driver» by occupation.",
    "| Religion | [Sikh] |\n| Language | [Punjabi] |\n| Marital status | [Separated] |\n| Occupation | «Bus driver» |",
    pytest.param(
        "[Ex-prisoner], [former foster child], [now in a halfway house]. [Sober] for a while.",
        marks=pytest.mark.xfail(strict=True, reason="prisoner and foster child are hidden"),
    ),
    "[Trans woman], [on estradiol], [works from home] as a «graphic designer». [She is asexual].",
    "[Recent immigrant], [refugee camp for years], [Rohingya speaker], [literacy limited].",
    "[Orthodox Jewish], [keeps kosher], [nine children], husband is a «rabbi». [No contraception].",
    "[Ambidextrous], [adopted], [pescatarian], [in a polyamorous relationship], «high school principal».",
    "pt is [deaf], [ASL user], [lives in a group home]; her sister is an «ASL interpreter» [by trade].",
]

RESULTS = [
    "[Hgb/Hct 11/34 10/31] [stable overnight]. No transfusion.",
    "[BUN/Cr 12/1] this morning, [Na/K 138/4]. [Recheck in the evening].",
    "I/O: [10/12] [yesterday], net negative. I/O drawn up by nights.",
    "[Kappa/lambda 11/9], ratio normal. Sent on «10/30».",
    pytest.param(
        "[Hgb/Hct 11/34], repeat drawn «3/4» [10/31]. [Transfuse if below seven].",
        marks=pytest.mark.xfail(strict=True, reason="a second pair, after a date, is read as a date"),
    ),
    pytest.param(
        "H/H trend:\n[12/36]\n[11/33]\n[10/30]\n[9/27]\nLast drawn on «10/31».",
    ),
    "LABS\nBUN/Cr\tHgb/Hct\tPT/PTT\n[12/1]\t[10/31]\t[12/28]\n[14/1]\t[9/28]\t[11/30]",
    "| Test | Result |\n|---|---|\n| H/H | [11/32] |\n| BUN/Cr | [10/1] |\n| Drawn | «11/2/2067» |",
    "Vent: AC rate 12, [PIP/PEEP 12/5], [BiPAP 10/5], tolerating. Intubated «12/5».",
    "[BiPAP 12/5] overnight then [CPAP 10]. [IPAP/EPAP 12/6] if drowsy.",
    "AST/ALT: [12/11], [10/9], [11/12]. Next LFTs on «11/14».",
    pytest.param(
        "H&H [10/30] ([no active bleeding]), seen by Dr. «Ferrante» on «10/30».",
        marks=pytest.mark.xfail(strict=True, reason="H&H is not known as a heading of pairs"),
    ),
    pytest.param(
        "Hb/Hct (post op) [9/27] -> [10/30] after [one unit]. Surgery was («10/28»).",
        marks=pytest.mark.xfail(strict=True, reason="a pair after `(post op)`, and one after an arrow, is read as a date"),
    ),
    "WBC 8.1, [H/H 12/35], plt 210. Labs of «2/11»: WBC 9, [H/H 11/34].",
    "Urea/creat [7/1], [Hb/PCV 11/33]. Reviewed by Dr «Nambiar» «04/11/2066».",
    pytest.param(
        "SHIFT TOTALS\nIN/OUT (dL)\n0700\t[10/8]\n1500\t[12/9]\n2300\t[9/11]\nCHARTED «11/9/2067» BY RN «TESSA BROOMFIELD»",
        marks=pytest.mark.xfail(strict=True, reason="I/O written IN/OUT, above a column of pairs"),
    ),
    pytest.param(
        "CBC / H/H\n«10/29»  [11/33]\n«10/30»  [10/31]\n«10/31»  [10/30]",
        marks=pytest.mark.xfail(strict=True, reason="results beside a column of dates are hidden with them"),
    ),
    "CBC / H/H\n«10/29»  [11/33]\n«10/30»\n«10/31»",
    pytest.param(
        "T/D bili [3/1], [Alb/TP 3/6]. Cholangiogram «3/1».",
        marks=pytest.mark.xfail(strict=True, reason="bilirubin written T/D bili"),
    ),
    pytest.param(
        "PT/INR [12/1], [PTT/ratio 28/1]. Heparin stopped «12/1» at noon.",
        marks=pytest.mark.xfail(strict=True, reason="a pair after PTT/ratio is read as a date"),
    ),
    "[CD4/CD8 5/12], [viral load undetectable]. Last visit «5/12/2066».",
    pytest.param(
        "Hgb/Hct from OSH [8/24], ours [9/26]; transferred on «9/26».",
        marks=pytest.mark.xfail(strict=True, reason="pairs after Hgb/Hct with words between are read as dates"),
    ),
    "FeNO ok. [FEV1/FVC 2/3] litres. Spirometry done «2/3».",
    "Pressures: [RV 28/4], [PA 28/10], [CVP 8]. Cath «4/10».",
    pytest.param(
        "[Cr/BUN 1/12] and [1/11], baseline. [Dialysis not needed].",
    ),
]

CAPITALS = [
    pytest.param(
        "72 YO «LONG BEACH» [RESIDENT BROUGHT BY] AMR [AMBULANCE FROM HOME].",
        marks=pytest.mark.xfail(strict=True, reason="AMBULANCE is hidden with AMR"),
    ),
    "DISPO: [HOME WITH SON]. SON «MARCO DELACRUZ» [WILL PICK UP AT NOON].",
    "PT FROM «MODESTO» [FOUND DOWN IN BATHROOM BY NEIGHBOR]. [GCS FOURTEEN].",
    pytest.param(
        "[Name]\t[Loc]\t[Dept]\t[Unit]\n«Orla Finnerty»\t[ICU]\tMedicine\tWest",
    ),
    "[Loc] | [Dept] | [Unit] | [Bed status]\n«Ashgrove Memorial Hospital» | Surgery | [Step-down] | [Occupied]",
    "TRANSFERRED FROM «ST. BERTILLA HOSPITAL» [FOR HIGHER LEVEL OF CARE]. [FAMILY AWARE].",
    "MRS «PADMA RANGANATHAN» [ADMITTED WITH LOOSE STOOLS AND VOMITING]. [DAUGHTER AT BEDSIDE].",
    "[SEEN WITH] DR «OKONJO» [ON WARD ROUND]. [PLAN]: [HOME TOMORROW IF AFEBRILE].",
    "[LIVES WITH WIFE] IN «BENDIGO», [INDEPENDENT WITH ALL CARES]. [WALKS WITH STICK].",
    "[PATIENT TRANSPORTED VIA HELICOPTER] FROM «YREKA» [TO OUR TRAUMA BAY].",
    "MOTHER «JANELLE» [STATES CHILD FELL OFF BED]. [NO LOSS OF CONSCIOUSNESS].",
    "[NURSE] «KIMBERLY STROUD» RN [NOTIFIED OF CRITICAL POTASSIUM]. [READ BACK DONE].",
    pytest.param(
        "[RESIDENT OF] «SUNNYVALE MANOR» [NURSING HOME, BASELINE DEMENTIA]. [DNR FORM SENT].",
        marks=pytest.mark.xfail(strict=True, reason="NURSING HOME is hidden with the name before it; arguable, it may be part of the name"),
    ),
    "CC: [FALL]\nHPI: MR. «GREGORSON» [TRIPPED OVER DOG]. [WIFE CALLED AMBULANCE]. [LEFT HIP PAIN].",
    "[VISITING FROM] «TORONTO» [FOR WEDDING], [RAN OUT OF INSULIN]. [GLUCOSE HIGH].",
    pytest.param(
        "[DISCHARGED TO REHAB] IN «FRESNO» [WITH WALKER AND OXYGEN]. [FOLLOW UP WITH] DR. «HUYNH» [NEXT WEEK].",
        marks=pytest.mark.xfail(strict=True, reason="WALKER, the aid, is hidden as a name"),
    ),
    "[PRE-OP DIAGNOSIS]: [ACUTE APPENDICITIS]\n[SURGEON]: «A. VANTERPOOL»\n[ASSISTANT]: «B. KWARTENG»\n[ANESTHESIA]: [GENERAL]",
    "PT «RAJESH KULKARNI» [C/O GIDDINESS SINCE MORNING]. [BROUGHT BY] BROTHER [FROM HOME]. [BP LOW].",
    pytest.param(
        "[EMS REPORT]: [DRIVER IN MVC ON] «HIGHWAY 99» [NEAR] «TURLOCK», [RESTRAINED, AIRBAG DEPLOYED].",
        marks=pytest.mark.xfail(strict=True, reason="NEAR between a road and a town is hidden"),
    ),
    "[UNIT] [ROOM] [PATIENT] [ATTENDING]\nMICU «1204» «HALVORSEN, INGRID» «PETRAKIS»",
    "[FATHER] «TOMASZ WILK» [DECLINED FLU SHOT TODAY]. [WILL RECONSIDER NEXT VISIT].",
    "[PT NAME]\t[LOC]\t[DEPT]\t[UNIT]\n«HALE, CORINNE»\tER\tSURG\t4\n«MBATHA, SIPHO»\tER\tMED\t2",
    "[Loc]: «Tamworth Base Hospital»  [Dept]: ED  [Unit]: obs  [Seen by]: «K. Villiers»",
    "[Name]\t[Age]\t[Loc]\t[Diagnosis]\n«Petros Kallas»\t61\t3B\t[pneumonia]\n«Edith Marrow»\t77\t3C\t[hip fracture]",
    pytest.param(
        "[Patient]  [Loc]  [Dept]  [Unit]  [Status]\n«Gwendolyn Abara»  ED  Ortho  A  [waiting]",
    ),
    "[SPOKE WITH] «LORRAINE» [AT PHARMACY RE REFILL]. [SHE WILL FAX FORM].",
]

RANGES = [
    "Covered nights «1/5»→«1/6», [no events]. [Slept well].",
    "Inpatient «12/30» -> «1/2», [uneventful stay]. [Home with antibiotics].",
    "[Strength 3/5→4/5] in the [left deltoid] since last visit.",
    "[Pain 8/10→3/10] after morphine. [Vitals stable].",
    "[VA 20/40→20/25] with pinhole. [No RAPD].",
    "IV vancomycin «3/28» → «4/11», then stop. [Trough fine].",
    "Travelled «7/2/2066»→«7/9/2066» to the coast, [rash on return].",
    "On call: Dr. «Ostrander» «10/3»->«10/5», Dr. «Bhattacharya» «10/5»->«10/8».",
    "[Power right leg 2/5 -> 4/5] over the stay «5/14» -> «5/20».",
    "[NRS 9/10 → 4/10] with block placed «9/10».",
    pytest.param(
        "[Grip 4/5 → 5/5], [hip flexors 3/5 → 4/5]. PT sessions «4/5» → «5/5».",
        marks=pytest.mark.xfail(strict=True, reason="days that look like scores, after scores, are left"),
    ),
    "Rituximab cycle two «11/28» --> «12/1», [well tolerated].",
    "[Snellen 6/12 → 6/9] right, [6/18→6/12] left. Drops «6/12» → «6/18».",
    "[Apgar 7/10→9/10]. [Baby to mother].",
    "[Murmur 2/6→3/6] since «2/6». [Echo booked].",
    "hospital days: «2/27»→«3/1» ICU, «3/1»→«3/4» floor. [No falls].",
    "Leave «24/12» → «2/1», [locum to cover clinic]. [Ward round as usual].",
    "[PHQ 18/27→9/27], [MMSE 22/30→26/30], [improved mood].",
    "Foley in «8/9»→«8/12», [voiding since]. [Pain 6/10 => 2/10].",
    "NIGHTS «1/30» => «2/3» THEN OFF. [COVER BY REGISTRAR].",
    "[Reflexes 1/4→2/4] both knees. [Dorsiflexion 0/5 → 2/5]. Brace worn «10/1» → «10/12».",
    "[Oswestry 30/50→12/50]. Physio block from «03/02/2067» → «17/03/2067».",
]


@cache
def default() -> Deidentifier:
    return Deidentifier.default(mode="redact", mask="same-length", runtime="onnx")


def read(marked: str) -> tuple[str, list[tuple[str, int, int]]]:
    """The text without its marks, and the marked stretches.

    >>> read("Mr. «Poe» [left]")
    ('Mr. Poe left', [('hidden', 4, 7), ('left', 8, 12)])
    """
    text, stretches, kind, start = "", [], "", 0
    for char in marked:
        if char not in MARKS:
            text += char
        elif opens := MARKS[char]:
            kind, start = opens, len(text)
        else:
            stretches.append((kind, start, len(text)))
    return text, stretches


def wrong(marked: str) -> list[str]:
    """What should have been hidden and was not, and what should have been left and was not."""
    text, stretches = read(marked)
    out = default().scrub(text).text
    assert len(out) == len(text)
    faults = []
    for kind, start, end in stretches:
        letters = [i for i in range(start, end) if text[i].isalnum()]
        hidden = [out[i] != text[i] for i in letters]
        if kind == "hidden" and not all(hidden):
            faults.append(f"{text[start:end]!r} was to be hidden: {out[start:end]!r}")
        if kind == "left" and any(hidden):
            faults.append(f"{text[start:end]!r} was to be left: {out[start:end]!r}")
    return faults


@pytest.mark.parametrize("marked", TITLES)
def test_names_that_are_titles_are_hidden_and_titles_are_left(marked: str) -> None:
    assert wrong(marked) == []


@pytest.mark.parametrize("marked", TRAITS)
def test_traits_are_left_and_occupations_are_hidden(marked: str) -> None:
    assert wrong(marked) == []


@pytest.mark.parametrize("marked", RESULTS)
def test_paired_results_are_left_and_dates_beside_them_are_hidden(marked: str) -> None:
    assert wrong(marked) == []


@pytest.mark.parametrize("marked", CAPITALS)
def test_words_beside_names_and_places_are_left(marked: str) -> None:
    assert wrong(marked) == []


@pytest.mark.parametrize("marked", RANGES)
def test_ranges_of_days_are_hidden_and_scores_are_left(marked: str) -> None:
    assert wrong(marked) == []
