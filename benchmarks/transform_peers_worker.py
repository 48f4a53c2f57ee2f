"""The peers' side of `transform_peers`, in an environment of its own. It reads a line of JSON with
a case, and then names of peers, and answers each with a line of JSON. It imports nothing of
phasewise.
"""

import json
import sys
import time

import ducc0
import numpy as np
import shtns


def there_and_back(synthesise, analyse, coefficients):
    """CPU seconds of both transforms, and what comes back."""
    begin = time.process_time()
    field = synthesise(coefficients)
    back = analyse(field)
    return time.process_time() - begin, field, back


def peers(case):
    """The transforms of each peer, by name."""
    truncation, latitudes, longitudes = (
        case[key] for key in ("truncation", "latitudes", "longitudes")
    )
    grid = {"lmax": truncation, "spin": 0, "geometry": "GL", "nthreads": 1}
    size = {"ntheta": latitudes, "nphi": longitudes}
    sht = shtns.sht(truncation, truncation, 1, shtns.sht_orthonormal)
    sht.set_grid(latitudes, longitudes, shtns.sht_gauss | shtns.SHT_PHI_CONTIGUOUS)
    return {
        "ducc0": (
            lambda c: ducc0.sht.synthesis_2d(alm=c[None], **grid, **size),
            lambda f: ducc0.sht.analysis_2d(map=f, **grid)[0],
        ),
        "SHTns": (sht.synth, sht.analys),
    }


def main():
    case = json.loads(sys.stdin.readline())
    coefficients = np.load(case["coefficients"])
    known = peers(case)
    for line in sys.stdin:
        name = line.strip()
        seconds, field, back = there_and_back(*known[name], coefficients)
        error = float(np.linalg.norm(back - coefficients) / np.linalg.norm(coefficients))
        np.save(case["field"], np.asarray(field).reshape(case["latitudes"], -1))
        print(json.dumps({"seconds": seconds, "error": error}), flush=True)


if __name__ == "__main__":
    main()
