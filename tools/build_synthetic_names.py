"""Builds the names of many origins that synthetic notes are about, in Latin letters, from Faker's locales and from lists below.

    python tools/build_synthetic_names.py

Needs Faker (MIT). Names in other scripts are transliterated by the tables here (Cyrillic, Greek, Armenian, Georgian; Hangul by the revised
romanization of Korean). The lists under BY_HAND were written for this project from general knowledge (Apache-2.0).
The output has three columns: origin, f / m / e (either) / s (surname), name.
"""

import gzip
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "src" / "incognote" / "corpora" / "synthetic" / "names.txt.gz"
LATIN = re.compile(r"[A-Za-zÀ-ɏḀ-ỿ][A-Za-zÀ-ɏḀ-ỿ'’ -]+")
ORIGINS = {
    "czech": "cs_CZ", "danish": "da_DK", "german": "de_DE", "british": "en_GB", "irish": "en_IE", "gaelic": "ga_IE", "indian": "en_IN",
    "kenyan": "en_KE", "pakistani": "en_PK", "thai": "en_TH", "spanish": "es_ES", "mexican": "es_MX", "colombian": "es_CO",
    "finnish": "fi_FI", "french": "fr_FR", "quebecois": "fr_CA", "croatian": "hr_HR", "hungarian": "hu_HU", "indonesian": "id_ID",
    "italian": "it_IT", "japanese": "ja_JP", "lithuanian": "lt_LT", "dutch": "nl_NL", "norwegian": "no_NO", "polish": "pl_PL",
    "brazilian": "pt_BR", "romanian": "ro_RO", "russian": "ru_RU", "swedish": "sv_SE", "swahili": "sw", "turkish": "tr_TR",
    "ukrainian": "uk_UA", "vietnamese": "vi_VN", "yoruba": "yo_NG", "igbo": "ig_NG", "chinese": "zh_CN", "taiwanese": "zh_TW",
    "zulu": "zu_ZA", "ghanaian": "tw_GH", "greek": "el_GR", "bulgarian": "bg_BG", "algerian": "fr_DZ", "azeri": "az_AZ",
    "armenian": "hy_AM", "georgian": "ka_GE", "korean": "ko_KR", "uzbek": "uz_UZ",
}  # fmt: skip
KINDS = {
    "f": ("first_names_female", "first_romanized_names_female"),
    "m": ("first_names_male", "first_romanized_names_male"),
    "e": ("first_names_unisex",),
    "s": ("last_names", "last_names_male", "last_names_female", "unisex_last_names", "male_last_names", "last_romanized_names"),
}
CYRILLIC = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґ",
        "a b v g d e e zh z i y k l m n o p r s t u f kh ts ch sh shch - y - e yu ya i yi ye g".split(),
        strict=True,
    )
)
GREEK = dict(
    zip("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ", "a v g d e z i th i k l m n x o p r s s t y f ch ps o a e i i o y o i y i y".split(), strict=True)
)
ARMENIAN = dict(
    zip(
        "աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆև",
        "a b g d e z e y t zh i l kh ts k h dz gh ch m y n sh o ch p j r s v t r ts u p k o f ev".split(),
        strict=True,
    )
)
GEORGIAN = dict(
    zip(
        "აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ",
        "a b g d e v z t i k l m n o p zh r s t u p k gh q sh ch ts dz ts ch kh j h".split(),
        strict=True,
    )
)
LETTERS = {**CYRILLIC, **GREEK, **ARMENIAN, **GEORGIAN, "-": "-"}
INITIALS = "g kk n d tt r m b pp s ss - j jj ch k t p h".split()
VOWELS = "a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i".split()
FINALS = "- k k k n n n t l k m l l l p l m p p t t ng t t k t p t".split()
BY_HAND = {
    "arabic": {
        "m": "Ahmed Mohammed Mohamed Muhammad Mahmoud Ali Hassan Hussein Omar Khalid Youssef Ibrahim Abdullah Abdulrahman Tariq Faisal Samir "
        "Karim Bilal Mustafa Hamza Walid Nabil Rashid Salim Zaid Jamal Fadi Rami Ziad Anwar Bassam Marwan Nasser Adel Sami Hani Tarek Amr "
        "Ayman Imad Majid Munir Qasim Saad Sultan Yahya Yasin Zakaria Haitham Hisham Ihab Jihad Kamal Khaled Maher Mazen Osama Raed",
        "f": "Fatima Aisha Maryam Layla Leila Noor Nour Huda Salma Zainab Khadija Amina Yasmin Rania Dina Hanan Iman Samira Nadia Rasha Reem "
        "Sahar Suha Lina Maha Mona Najwa Rana Farah Amal Asma Ghada Hala Hiba Jamila Karima Lubna Manal Nawal Rima Safaa Sawsan Siham "
        "Soraya Wafa Widad Zahra",
        "s": "Al-Masri Al-Khatib Al-Sayed Al-Hashimi Al-Jabouri Al-Rashid Al-Zahrani Al-Ghamdi Alharbi Alqahtani Almutairi Abdallah Haddad "
        "Khoury Mansour Nasser Saleh Hamdan Darwish Habib Najjar Shaheen Awad Bakr Barakat Bishara Daoud Fares Farouk Ghanem Hakim Hamad "
        "Issa Jaber Kassab Khalil Maalouf Mahfouz Malouf Nassar Odeh Qasem Rahman Sabbagh Salameh Sayegh Shalhoub Tawfik Youssef Zaki "
        "Zaman Abu-Khalil Abu-Zaid El-Sayed El-Amin El-Masry Ben-Youssef Bouchareb Chaoui Benali",
    },
    "persian": {
        "m": "Amir Reza Mehdi Hossein Behzad Farhad Kamran Dariush Cyrus Arash Babak Bahram Hamid Hooman Iraj Javad Kaveh Keyvan Majid Mansoor "
        "Masoud Mohsen Nader Navid Omid Parviz Peyman Ramin Saeed Shahin Siamak Sohrab Vahid",
        "f": "Azadeh Bahar Elham Fariba Fatemeh Golnaz Homa Laleh Ladan Mahnaz Maryam Mina Mitra Nasrin Niloufar Parisa Parvin Roya Sahar "
        "Sara Sepideh Shahla Shirin Simin Soheila Taraneh Yasaman Ziba",
        "s": "Ahmadi Hosseini Mohammadi Karimi Rezaei Moradi Jafari Rahimi Ebrahimi Ghorbani Kazemi Shirazi Tehrani Esfahani Farahani Khorasani "
        "Tabrizi Nouri Sadeghi Akbari Bagheri Daneshvar Ghasemi Heidari Jalali Kiani Mousavi Naderi Parsa Rostami Shahbazi Zand Pahlavan "
        "Farrokhzad Golzar Amini",
    },
    "hebrew": {
        "m": "Avi Moshe Yosef Shlomo Yitzhak Chaim Menachem Ariel Eitan Gilad Nadav Noam Oren Ronen Shai Tomer Uri Yair Yehuda Zeev Dov Ephraim "
        "Mordechai Naftali Pinchas Reuven Shimon Yaakov Amos Boaz",
        "f": "Rivka Chana Miriam Shira Tamar Yael Noa Avital Dafna Efrat Galit Hadas Inbal Keren Liora Michal Naomi Orly Ronit Shulamit Sigal "
        "Tzipora Vered Ziva Chaya Devorah Malka Bracha",
        "s": "Ben-David Ben-Ari Bar-Lev Mizrahi Peretz Biton Azoulay Ohayon Shapira Avraham Dahan Malka Gabay Amar Hadad Goldfarb Rabinowitz "
        "Lifshitz Horowitz Zilberman Teitelbaum Feigenbaum Perlmutter Wertheimer Abramov Yosefi Halevi Kaplinsky Shmueli Tzur Barak Eshkol",
    },
    "vietnamese": {
        "m": "Minh Duc Hung Tuan Dung Quang Khanh Long Nam Phuc Son Thanh Tien Trung Viet Vinh Cuong Dat Hieu Hoang Huy Khoa Kiet Lam Loc Nghia "
        "Phong Quoc Tai Tam Thang Thinh Toan Tri Tung",
        "f": "Lan Huong Mai Thu Trang Linh Hoa Ngoc Phuong Yen Thuy Tuyet Van Bich Chau Cuc Diem Dung Giang Hang Hanh Hien Hong Kim Kieu Le Loan "
        "My Nga Nhung Nhu Oanh Quyen Quynh Suong Thao Tham Trinh Tuyen Uyen Xuan",
        "s": "Nguyen Tran Le Pham Huynh Hoang Phan Vu Vo Dang Bui Do Ho Ngo Duong Ly Dinh Truong Mai Lam Trinh Luong Dao Cao Ha Luu Ta Tang Thai "
        "Quach Chau Kieu La Mac Nghiem Phung Ton Trieu Tong Vuong",
    },
    "chinese": {
        "m": "Wei Jun Hao Ming Jianguo Zhiqiang Xiaoming Guowei Jianhua Yong Lei Feng Peng Tao Bin Chao Gang Guang Haoran Hua Jianjun Jianping Jie "
        "Kai Liang Long Qiang Rong Shan Yifan Yuchen Zihan Zhihao Zhong Weiming Wenbo Xiaodong Xin Xuefeng Yang Zhen Chi-Ming Kwok-Wai Wing-Kei",
        "f": "Fang Min Xiuying Jing Li Yan Na Juan Hong Hui Ling Mei Meiling Ping Qing Rui Shu Ting Xia Xiaoli Xue Yanyan Ying Yu Yun Zhen Xiuzhen "
        "Guiying Lihua Lijuan Shufen Shuzhen Yuhua Yulan Yuzhen Jiayi Ruoxi Yuxin Xinyi Mei-Ling Siu-Fong Wai-Yee",
        "s": "Wang Li Zhang Liu Chen Yang Zhao Huang Zhou Wu Xu Sun Hu Zhu Gao Lin He Guo Ma Luo Liang Song Zheng Xie Han Tang Feng Yu Dong Xiao "
        "Cheng Cao Yuan Deng Fu Shen Zeng Peng Lu Su Jiang Cai Jia Ding Wei Xue Ye Yan Pan Du Dai Xia Zhong Tian Ren Fan Fang Shi Yao Tan "
        "Liao Zou Xiong Jin Hao Kong Bai Cui Kang Mao Qiu Qin Gu Hou Shao Meng Wan Duan Qian Lai Yin Chang Wong Chan Cheung Leung Lau Ng "
        "Kwok Tsang Yip Ho Kwan Mak Tse Hsu Tsai Hsieh Ouyang Szeto",
    },
    "filipino": {
        "m": "Jose Antonio Rodrigo Ramon Eduardo Danilo Renato Rogelio Reynaldo Ernesto Romeo Efren Arnel Jomar Jayson Rommel Dennis Nestor Noel "
        "Joselito Crisanto Bonifacio Isagani Dante Jericho",
        "f": "Maria Corazon Imelda Marites Maricel Rosario Remedios Luzviminda Lourdes Analyn Jocelyn Rowena Cherry Gemma Josefina Ligaya Marilou "
        "Milagros Nenita Perla Teresita Divina Evangeline Leonora Florencia",
        "s": "Santos Reyes Cruz Bautista Ocampo Mendoza Villanueva Ramos Aquino Castillo Dela-Cruz Manalo Pangilinan Macapagal Magsaysay Dimaculangan "
        "Batungbakal Lacson Tolentino Salonga Panganiban Catacutan Dimagiba Agbayani Abad Evangelista Bagatsing Cojuangco Dizon Fajardo "
        "Gatchalian Lualhati Mabini Navarro Quiambao Sumulong Tañada Yulo Zamora",
    },
    "haitian": {
        "m": "Jean-Baptiste Jean-Claude Pierre-Louis Emmanuel Wilner Frantz Jocelyn Evens Ricot Woodly Mackenson Fritz Guerson Lucner Dieudonné Yves "
        "Gérald Ronald Stanley Wisly",
        "f": "Marie-Ange Marie-Claire Guerline Mirlande Nadège Rose-Marie Fabiola Ketly Magalie Widline Yolande Islande Roseline Lovely Gina "
        "Manoucheka Ghislaine Carline Ernst-Marie Dieula",
        "s": "Jean-Louis Toussaint Dessalines Duvalier Aristide Jean-Pierre Pierre-Louis Louis-Jean Célestin Désir Exantus Fleurimond Joseph Laguerre "
        "Michel Noël Occean Petit-Frère Saint-Fleur St-Louis Théodore Valcin Bien-Aimé Charlot Cadet Destin Estimé",
    },
    "somali": {
        "m": "Abdi Abdirahman Abdullahi Ahmed Farah Guled Hassan Ismail Jama Liban Mahad Mohamud Mukhtar Nuur Osman Said Warsame Yusuf",
        "f": "Amina Asha Deqa Fadumo Fartun Halima Hawa Hibaq Hodan Ifrah Khadra Ladan Nasra Sahra Shukri Ubah Zamzam",
        "s": "Abdi Abdullahi Adan Ali Aweys Barre Dirie Duale Egal Farah Gedi Guled Hersi Hirsi Ismail Jama Mohamud Muse Nuur Osman Roble Samatar "
        "Shire Warsame Yusuf",
    },
    "ethiopian": {
        "m": "Abebe Alemayehu Bekele Berhanu Dawit Fikru Girma Haile Kebede Lemma Mesfin Mulugeta Negash Solomon Tadesse Tesfaye Worku Yohannes Zerihun",
        "f": "Abeba Almaz Aster Bethlehem Birtukan Genet Hanna Hiwot Kidist Liya Meseret Mulu Rahel Selamawit Senait Tigist Tsehay Yeshi Zewditu",
        "s": "Abera Alemu Asfaw Assefa Ayele Bekele Demissie Desta Gebre Gebremariam Gebreselassie Getachew Habte Hailu Kassa Kebede Mekonnen Negussie "
        "Tadesse Tekle Tessema Teklemariam Wolde Woldemariam Zewde",
    },
    "hmong": {
        "m": "Chue Fue Kou Lue Pao Teng Toua Tou Xeng Yeng Chong Neng Pheng Meng Ger Houa",
        "f": "Bao Chia Gao Houa Kia Mai Mee Nou Pa See Xee Yer Youa Zoua Pahoua Maiyia",
        "s": "Vang Xiong Yang Lee Her Moua Thao Vue Lor Cha Kue Khang Hang Fang Chue Lo Pha Song",
    },
    "cambodian": {
        "m": "Sokha Bora Dara Rith Samnang Sophal Veasna Vuthy Chan Kosal Makara Narith Phirun Sambath",
        "f": "Bopha Chanthou Kunthea Maly Nary Phally Sokhom Sophea Sreymom Thida Vanna Chenda Ratha",
        "s": "Chea Chhim Heng Hun Keo Khiev Kim Ly Meas Mao Nhem Ouk Oum Pech Prak Sar Sok Som Tep Yim",
    },
    "native american": {
        "m": "Dakota Wambli Chaska Ahiga Bidziil Hiawatha Koda Tadan",
        "f": "Winona Aiyana Chenoa Kaya Nizhoni Talise Wachiwi Ehawee",
        "s": "Begay Benally Yazzie Tsosie Nez Whitehorse Redcloud Two-Bears Running-Wolf Many-Goats Blackelk Eagle-Feather Little-Sky Old-Elk Tso "
        "Etsitty Bitsui Manygoats Littlelight Iron-Cloud Swift-Hawk",
    },
    "hawaiian": {
        "m": "Kai Keoni Kimo Makoa Kalani Ikaika Nainoa Kekoa",
        "f": "Leilani Noelani Malia Kalei Nalani Pualani Keala Haunani",
        "s": "Kealoha Kahananui Kamaka Kalama Kahale Nakamura Kekauoha Akana Kapule Mahoe Palakiko Kaneshiro Kanahele Keawe Puaa",
    },
}  # fmt: skip


def romanize(name: str) -> str:
    """Latin letters for a name in another script; empty where there is no table for it."""
    if all("가" <= letter <= "힣" for letter in name):
        return "-".join(_syllable(letter) for letter in name).capitalize() if len(name) < 3 else ""
    letters = [LETTERS.get(letter.lower(), letter if LATIN.match(letter * 2) else "?") for letter in name]
    spelled = "".join("" if letter == "-" and name[index] != "-" else letter for index, letter in enumerate(letters))
    return "" if "?" in spelled else spelled[:1].upper() + spelled[1:]


def _syllable(letter: str) -> str:
    code = ord(letter) - 0xAC00
    parts = (INITIALS[code // 588], VOWELS[code % 588 // 28], FINALS[code % 28])
    return "".join(part for part in parts if part != "-")


def rows() -> Iterator[tuple[str, str, str]]:
    for origin, locale in ORIGINS.items():
        provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
        found = {kind: [name for field in fields for name in getattr(provider, field, ())] for kind, fields in KINDS.items()}
        if not found["f"] and not found["m"]:
            found["e"] = list(getattr(provider, "first_names", ()))
        for kind, names in found.items():
            yield from ((origin, kind, spelled) for name in names if (spelled := romanize(name)))
    for origin, kinds in BY_HAND.items():
        for kind, words in kinds.items():
            yield from ((origin, kind, word.replace("-", " ") if origin == "native american" else word) for word in words.split())


def main() -> None:
    kept = dict.fromkeys((origin, kind, name.replace("’", "'")) for origin, kind, name in rows() if LATIN.fullmatch(name))
    body = "".join(f"{origin}\t{kind}\t{name}\n" for origin, kind, name in sorted(kept))
    OUT.write_bytes(gzip.compress(body.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
