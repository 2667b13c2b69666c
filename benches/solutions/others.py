"""Prints 10,000 distinct JSON lines of other solutions: near.jsonl (120) shuffled among generated ones.

Deterministic: one seed, own weights, no hash order. Each generated line comes from a hand-written problem template
(templates.txt): `language|error type ~ description ~ cause ~ solution`, with `[[a;b]]` alternatives and `$slots`.
Templates, names and alternatives are drawn with weights 1/(rank+k), so that a few words are frequent and most rare.
Usage: python3 others.py [--count 10000] [--seed 20261127] > others.jsonl
"""
import argparse, json, os, random, re
HERE = os.path.dirname(os.path.abspath(__file__))

NOUNS = """order profile cart message account product photo search invoice ticket note contact playlist session device
booking payment address report comment feed basket article customer setting course lesson recipe workout route station
weather alarm calendar event task project document scanner wallet coupon review rating friend group channel story album
track podcast episode movie trailer channel-guide voucher parcel shipment delivery warehouse shelf stock supplier ledger
budget expense receipt salary transfer card loan quote policy claim patient doctor appointment prescription dosage symptom
vaccine clinic ambulance pharmacy student teacher homework exam grade library loanbook shelfmark timetable bus tram ferry
flight gate luggage boarding hotel room checkin minibar key lock door garage thermostat heater boiler meter sensor lamp
scene curtain camera doorbell vacuum mower sprinkler garden plant seed harvest tractor field cow barn milk cheese bakery
bread cake menu table waiter kitchen tip bill crew shift vacation payslip badge visitor elevator parking charger battery
tyre engine fuel mileage service-book inspection insurance accident tow rental scooter bike helmet trail summit hut
avalanche tide buoy sail anchor harbour fish catch licence hunting range score match team league referee stadium seat
concert ticketing stage lyrics chord tuner metronome recording mixer sample beat loop synth midi score-sheet choir poem
novel chapter bookmark highlight dictionary flashcard grammar accent translation phrase quiz puzzle chess sudoku level
avatar guild quest inventory potion leaderboard tournament replay stream donation emote moderation report-abuse poll
petition election ballot council permit tax refund customs passport visa embassy donor blood shelter adoption pet leash
vet kennel aquarium terrarium telescope planet eclipse satellite antenna spectrum radio relay router modem firewall
voicemail dialer ringtone sticker emoji keyboard clipboard widget wallpaper launcher backup vault password passkey beacon
drone gimbal lens filter collage frame canvas brush layer palette blueprint survey parcel-map contour borehole ore crane
scaffold rivet weld lathe spindle conveyor pallet forklift manifest-sheet container vessel pilot runway windsock""".split()
LIBS = """okhttp retrofit coil glide room hilt moshi timber lottie workmanager media3 paging exoplayer leakcanary koin
firebase-messaging play-services-maps mlkit-barcode billing-ktx camerax datastore navigation-compose accompanist ktor
sqldelight rxjava3 jackson guava netty hibernate flyway lombok mapstruct resilience4j micrometer logback testcontainers
wiremock junit5 assertj bouncycastle zxing pdfbox poi jsoup caffeine quartz kafka-clients grpc-java protobuf-lite stripe
adyen sentry datadog amplitude mixpanel braze appsflyer adjust onesignal twilio agora zoom-sdk mapbox here-sdk realm
objectbox mmkv conscrypt tink sqlcipher rootbeer shimmer epoxy groupie flexbox mpandroidchart vico markwon""".split()
DEVICES = """Pixel-7 Galaxy-S22 Pixel-4a Redmi-Note-11 Galaxy-A53 OnePlus-9 Xperia-10 Moto-G60 Huawei-P30 Nokia-G21
Galaxy-Tab-S8 Oppo-A74 Vivo-Y33 Realme-9 Fairphone-4 Pixel-Fold Zebra-TC57 Honeywell-CT60 Lenovo-M10 Fire-HD-10
Chromebook-Duet Galaxy-J5 LG-K40 Asus-Zenfone-8 Nothing-Phone-1 Poco-X3 Sunmi-V2 Shield-TV Galaxy-Watch-5 Mate-20""".split()
FIELDS = """status name amount email owner title price currency quantity expires locale category priority createdBy
latitude checksum revision tenant slug weight colour barcode postcode phone iban vatNumber nickname checksumType parentId
validFrom unitPrice externalRef mimeType thumbnailUrl permissions discountCode shippingMethod middleName""".split()
MODULES = """core data network feature-home feature-login common ui payments sync domain storage analytics design media
auth shared legacy importer exporter notifications scanner maps chat wear tv benchmark telemetry offline catalog""".split()
FLAVOURS = "staging demo paid free qa china enterprise kiosk beta whitelabel internal education".split()
PLACES = """Berlin Tokyo Lisbon India Brazil Turkey Chile Auckland Cairo Toronto Oslo Nairobi Manila Lima Warsaw Reykjavik
Honolulu Seoul Dublin Hanoi Casablanca Quito Tallinn Perth""".split()
TOOLS = """a-unit-test an-instrumented-test a-Robolectric-test MockWebServer a-screenshot-test a-lint-rule
a-property-test Maestro a-contract-test a-fuzz-test the-nightly-soak-run a-macrobenchmark""".split()
WHERE = ["", "", "", "", " Seen on $dev with API $api.", " First reported for version $ver.", " About $n users a day, mostly on $dev.",
         " Only in flavour $flav.", " QA in $loc can reproduce it in $n2 of ten attempts.", " Appeared after $lib went to $ver.",
         " Stack ends in ${Scr2}Fragment.", " Happens after about $ms ms.", " Same trace in ${Ent2}Manager.",
         " The log names module $mod.", " Not seen before the $ent2 feature was merged."]
WHY = ["", "", "", "", " It came with the move to $lib $ver.", " The $ent2 code does it right.", " Reviewers missed it because $mod has no tests.",
       " A breakpoint in ${Ent2}Mapper showed it.", " Bisecting led to the change of $fld.", " The documentation of $lib mentions it.",
       " The same pattern is in ${Scr2}."]
DONE = ["", "", "", "", " Covered by $tool.", " Checked on $dev.", " Also applied in module $mod.", " Released in $ver.",
        " ${Scr2} still has to follow.", " Verified with API $api and $tool.", " The $ent2 screen uses the same helper now."]

def camel(noun):
    return "".join(p.capitalize() for p in noun.split("-"))

class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.templates = []
        with open(os.path.join(HERE, "templates.txt"), encoding="utf-8") as lines:
            for line in lines:
                head, error, cause, solution = (p.strip() for p in line.rstrip("\n").split(" ~ "))
                self.templates.append((*head.split("|"), error, cause, solution))
        order = list(range(len(self.templates)))
        self.rng.shuffle(order)
        self.weights = [0.0] * len(order)
        for rank, i in enumerate(order):
            self.weights[i] = (rank + 12) ** -0.8
        self.nouns = list(dict.fromkeys(NOUNS))

    def zipf(self, values, k=2.0):
        return self.rng.choices(values, weights=[1.0 / (r + k) for r in range(len(values))])[0]

    def slots(self):
        r = self.rng
        ent, ent2, scr, scr2 = (self.zipf(self.nouns, 6.0) for _ in range(4))
        return {
            "Scr": camel(scr), "Scr2": camel(scr2), "Ent": camel(ent), "Ent2": camel(ent2),
            "ent": ent.replace("-", "_"), "ent2": ent2.replace("-", " "), "lib": self.zipf(LIBS),
            "ver": f"{r.randint(1, 7)}.{r.randint(0, 19)}.{r.randint(0, 9)}", "dev": self.zipf(DEVICES).replace("-", " "),
            "api": str(r.randint(21, 35)), "n": str(r.choice([12, 17, 23, 40, 64, 90, 128, 180, 250, 400, 512, 900])),
            "n2": str(r.randint(1, 9)), "ms": str(r.randint(3, 160) * 50), "fld": self.zipf(FIELDS),
            "mod": self.zipf(MODULES), "flav": self.zipf(FLAVOURS), "loc": self.zipf(PLACES),
            "tool": self.zipf(TOOLS).replace("-", " "),
        }

    def fill(self, text, slots):
        text = re.sub(r"\[\[(.*?)\]\]", lambda m: self.zipf(m.group(1).split(";"), 2.0), text)
        names = "|".join(sorted(slots, key=len, reverse=True))
        text = re.sub(r"(?<!\\)\$(?:\{(%s)\}|(%s))" % (names, names), lambda m: slots[m.group(1) or m.group(2)], text)
        return text.replace("\\$", "$")

    def record(self):
        language, kind, error, cause, solution = self.rng.choices(self.templates, weights=self.weights)[0]
        s = self.slots()
        error += "" if error.endswith((".", "?")) else "."
        error, cause, solution = (self.fill(t + self.rng.choice(x), s)
                                  for t, x in ((error, WHERE), (cause, WHY), (solution, DONE)))
        return {"errorDescription": error.removesuffix("."), "rootCause": cause, "solution": solution, "language": language,
                "errorType": kind, "confidence": round(self.rng.uniform(0.6, 0.99), 2)}

def main():
    args = argparse.ArgumentParser()
    args.add_argument("--count", type=int, default=10_000)
    args.add_argument("--seed", type=int, default=20_261_127)
    args = args.parse_args()
    gen = Generator(args.seed)
    with open(os.path.join(HERE, "near.jsonl"), encoding="utf-8") as near:
        rows = [json.loads(line) for line in near]
    text = lambda r: (r["errorDescription"], r["rootCause"], r["solution"])
    seen = {text(r) for r in rows}
    while len(rows) < args.count:
        row = gen.record()
        if text(row) not in seen:
            seen.add(text(row))
            rows.append(row)
    gen.rng.shuffle(rows)
    for row in rows:
        print(json.dumps(row, ensure_ascii=False))

if __name__ == "__main__":
    main()
