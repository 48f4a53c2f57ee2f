"""A recipe for Spack: copy it into a repository of packages as packages/py_phasewise/package.py."""

from spack.package import *


class PyPhasewise(PythonPackage):
    """Parallel physics that measures, models and tunes its own communication."""

    license("BSD-3-Clause")

    version("0.2.0")

    variant("mpi", default=True, description="Runs of several ranks")
    variant("openpmd", default=False, description="Particle files of openPMD by openPMD-api")
    variant("parquet", default=False, description="Tables as Parquet")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("py-scikit-build-core@0.11:", type="build")
    depends_on("py-nanobind@2.4:", type="build")

    depends_on("fftw@3: precision=double", type=("build", "link"))
    depends_on("mpi@3:", when="+mpi", type=("build", "link", "run"))

    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-numpy@2:", type=("build", "run"))
    depends_on("py-scipy@1.13:", type=("build", "run"))
    depends_on("py-h5py@3.11:", type=("build", "run"))
    depends_on("py-rich@13:", type=("build", "run"))
    depends_on("py-shtab@1.7:", type=("build", "run"))
    depends_on("py-matplotlib@3.9:", type=("build", "run"))
    depends_on("py-pillow@10:", type=("build", "run"))
    depends_on("openpmd-api@0.16: +python", when="+openpmd", type=("build", "run"))
    depends_on("py-pyarrow@15:", when="+parquet", type=("build", "run"))

    def config_settings(self, spec, prefix):
        return {"cmake.define.PHASEWISE_MPI": "ON" if spec.satisfies("+mpi") else "OFF"}
