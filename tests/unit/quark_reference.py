"""Quarks written down directly, with dense gamma matrices: what tests compare with."""

import numpy as np

# γ of the chiral basis, as rows of powers of i: (γ ψ)_row = value ψ_column.
GAMMA = np.zeros((4, 4, 4), dtype=complex)
for mu, rows in enumerate(
    (
        ((3, 1j), (2, 1j), (1, -1j), (0, -1j)),
        ((3, -1), (2, 1), (1, 1), (0, -1)),
        ((2, 1j), (3, -1j), (0, -1j), (1, 1j)),
        ((2, 1), (3, 1), (0, 1), (1, 1)),
    )
):
    for row, (column, value) in enumerate(rows):
        GAMMA[mu, row, column] = value
GAMMA_5 = GAMMA[0] @ GAMMA[1] @ GAMMA[2] @ GAMMA[3]


def parity_of(box):
    """Parity of each site, x fastest."""
    t, z, y, x = np.indices(box[::-1])
    return ((x + y + z + t) % 2).ravel()


def near_links(box, size, seed):
    """exp(i h) with Hermitian, traceless h whose elements have about this size."""
    rng = np.random.default_rng(seed)
    shape = (int(np.prod(box)), 4, 3, 3)
    h = rng.normal(size=shape, scale=size) + 1j * rng.normal(size=shape, scale=size)
    h = (h + adjoint(h)) / 2
    h -= np.trace(h, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) / 3
    angles, vectors = np.linalg.eigh(h)
    return vectors * np.exp(1j * angles)[..., None, :] @ adjoint(vectors)


def random_links(box, seed=1):
    """SU(3) links, [site][axis][3][3]."""
    random = np.random.default_rng(seed)
    shape = (int(np.prod(box)), 4, 3, 3)
    unitary, _ = np.linalg.qr(random.normal(size=shape) + 1j * random.normal(size=shape))
    return unitary / np.linalg.det(unitary)[..., None, None] ** (1 / 3)


def random_spinor(box, seed=2):
    random = np.random.default_rng(seed)
    shape = (int(np.prod(box)), 4, 3)
    return random.normal(size=shape) + 1j * random.normal(size=shape)


def moved(box, values, axis, step):
    """values(x + step) at x."""
    lattice = values.reshape(*box[::-1], *values.shape[1:])
    return np.roll(lattice, -step, axis=3 - axis).reshape(values.shape)


def hopped_directly(box, links, psi):
    """The definition, with dense gamma matrices."""
    result = np.zeros_like(psi)
    one = np.eye(4)
    for mu in range(4):
        link = links[:, mu]
        ahead = np.einsum("xab,xsb->xsa", link, moved(box, psi, mu, 1))
        behind = moved(box, np.einsum("xba,xsb->xsa", link.conj(), psi), mu, -1)
        result += np.einsum("rs,xsa->xra", one - GAMMA[mu], ahead)
        result += np.einsum("rs,xsa->xra", one + GAMMA[mu], behind)
    return result


def adjoint(matrices):
    return matrices.conj().swapaxes(-1, -2)


def field_strength(box, links):
    """(Q - Q†)/8 of the four leaves, [site][plane][3][3]."""
    planes = []
    for mu in range(4):
        for nu in range(mu + 1, 4):
            u, v = links[:, mu], links[:, nu]
            back_u, back_v = moved(box, u, mu, -1), moved(box, v, nu, -1)
            above_u, ahead_v = moved(box, u, nu, 1), moved(box, v, mu, 1)
            leaves = u @ ahead_v @ adjoint(above_u) @ adjoint(v)
            behind = adjoint(moved(box, above_u, mu, -1))
            leaves = leaves + v @ behind @ adjoint(moved(box, v, mu, -1)) @ back_u
            corner_u, corner_v = moved(box, back_u, nu, -1), moved(box, back_v, mu, -1)
            leaves = leaves + adjoint(back_u) @ adjoint(corner_v) @ corner_u @ back_v
            below = moved(box, u, nu, -1) @ moved(box, ahead_v, nu, -1)
            leaves = leaves + adjoint(back_v) @ below @ adjoint(u)
            planes.append((leaves - adjoint(leaves)) / 8)
    return np.stack(planes, axis=1)
