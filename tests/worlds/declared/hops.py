"""More true puzzles after those of `puzzles.py` in one file.

Hops: graded, with keys, a way back from them, and costs. Winnable: within the states of an abstraction
that is searched from both ends.
"""

HOPS = '''

class Lines(NamedTuple):
    jumps: np.ndarray  # uint64[jumps]: the holes from, over and to
    pegs: np.ndarray  # uint64[jumps]: those that must hold pegs
    start: np.ndarray
    to: np.ndarray
    board: np.uint64
    goal: np.uint64
    images: np.ndarray  # uint64[symmetries, holes + 1]: by hole the bit of its image; last nothing
    winnable: np.ndarray = np.zeros(0, np.uint64)


NONE = 31
SHIFT = np.uint64(32)


def least_image(tables, pegs, last):
    """Return the least image of a board, with the hole of the peg moved last above."""
    least = ~np.uint64(0)
    for symmetry in range(tables.images.shape[0]):
        image = np.uint64(NONE) << SHIFT
        if last != NONE:
            image = np.uint64(tables.images[symmetry, last]) << SHIFT
        for hole in range(tables.images.shape[1]):
            bit = pegs >> np.uint64(hole) & np.uint64(1)
            image |= bit << np.uint64(tables.images[symmetry, hole])
        least = min(least, image)
    return least


@dataclass(frozen=True)
class Hops(Puzzle):
    """Jump pegs over pegs until one is left, where the gap was. A run of jumps by one peg is one move."""

    rows: int = parameter(4, "of the triangle")
    hole: int = parameter(1, "of the gap, and of the last peg")
    target: int = parameter(2, "where the last peg must be")
    state = np.dtype([("pegs", "u8"), ("last", "u1"), ("cost", "u1"), ("move", "u1")])
    children = 60
    graph = "graded"

    def places(self):
        return [(row, column) for row in range(self.rows) for column in range(row + 1)]

    def root(self, *winnable):
        return {"pegs": (1 << len(self.places())) - 1 - (1 << self.hole), "last": NONE}

    def tables(self, *winnable):
        places = self.places()
        number = {place: hole for hole, place in enumerate(places)}
        lines = []
        for row, column in places:
            for down, right in ((-1, -1), (-1, 0), (0, -1), (0, 1), (1, 0), (1, 1)):
                line = [number.get((row + step * down, column + step * right)) for step in range(3)]
                if None not in line:
                    lines.append(line)
        start, over, to = np.array(lines, np.uint64).T
        mirror = [number[row, row - column] for row, column in places]
        same = mirror[self.hole] == self.hole and mirror[self.target] == self.target
        images = np.array([range(len(places)), mirror if same else range(len(places))], np.uint8)
        pegs = np.uint64(1) << start | np.uint64(1) << over
        board, goal = (1 << len(places)) - 1, 1 << self.target
        ends = start.astype("u1"), to.astype("u1")
        jumps = pegs | np.uint64(1) << to
        return Lines(jumps, pegs, *ends, np.uint64(board), np.uint64(goal), images, *winnable)

    def limits(self):
        return range(0, 100)

    def steps(self, limit):
        return len(self.places())

    @staticmethod
    def expand(tables, here, limit, rows, top):
        for jump in range(tables.jumps.size):
            if here.pegs & tables.jumps[jump] == tables.pegs[jump]:
                row = rows[top]
                row.pegs, row.last, row.move = here.pegs ^ tables.jumps[jump], tables.to[jump], jump
                row.cost = here.cost + (tables.start[jump] != here.last)
                top += row.cost <= limit
        return top

    @staticmethod
    def solved(tables, here):
        return here.pegs == tables.goal

    @staticmethod
    def key(tables, here):
        return least_image(tables, here.pegs, here.last)

    @staticmethod
    def unkey(tables, key, row):
        row.pegs, row.last, row.move = key & tables.board, key >> SHIFT, 0


every_jump = Hops.expand


@dataclass(frozen=True)
class Boards(Hops):
    """Hops without the memory of the peg moved last: every jump costs 1."""

    def goals(self):
        return [{"pegs": 1 << self.target, "last": NONE}]

    def inverse_puzzle(self):
        return BoardsBack(self.rows, self.hole, self.target)

    def limits(self):
        return [len(self.places()) - 2]

    @staticmethod
    def expand(tables, here, limit, rows, top):
        end = every_jump(tables, here, limit, rows, top)
        for number in range(top, end):
            rows[number].last = NONE
            rows[number].cost = here.cost + 1
        return end


@dataclass(frozen=True)
class BoardsBack(Boards):
    """The same with all jumps taken back."""

    def root(self, *winnable):
        return {"pegs": 1 << self.target, "last": NONE}

    def goals(self):
        return [{"pegs": (1 << len(self.places())) - 1 - (1 << self.hole), "last": NONE}]

    def inverse_puzzle(self):
        return Boards(self.rows, self.hole, self.target)

    def tables(self, *winnable):
        lines = super().tables()
        return lines._replace(pegs=lines.jumps ^ lines.pegs, goal=np.uint64(self.goals()[0]["pegs"]))


@dataclass(frozen=True)
class Winnable(Hops):
    """Hops on the boards that can be won alone."""

    def abstractions(self):
        return [Boards(self.rows, self.hole, self.target)]

    @staticmethod
    def expand(tables, here, limit, rows, top):
        end = every_jump(tables, here, limit, rows, top)
        for number in range(top, end):
            child = rows[number]
            board = least_image(tables, child.pegs, NONE)
            at = np.searchsorted(tables.winnable, board)
            if at < tables.winnable.size and tables.winnable[at] == board:
                row = rows[top]
                row.pegs, row.last, row.cost, row.move = child.pegs, child.last, child.cost, child.move
                top += 1
        return top
'''
