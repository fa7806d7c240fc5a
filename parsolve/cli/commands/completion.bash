_parsolve() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    local command=${COMP_WORDS[1]} puzzle=${COMP_WORDS[2]} words=
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W 'solve count unique explore estimate list describe new check run merge status show forget report export tables bench completion help' -- "$current"))
        return
    fi
    case "$command $before" in
        "solve --want") words+=" "'all count first any';;
        "solve --engine") words+=" "'deepening breadth both sharing';;
        "count --engine") words+=" "'deepening breadth both sharing';;
        "unique --engine") words+=" "'deepening breadth both sharing';;
        "explore --from") words+=" "'start goals';;
        "estimate --engine") words+=" "'deepening breadth sharing';;
        "export --format") words+=" "'csv json';;
    esac
    case "$command $puzzle $before" in
        *" cover --symmetry") words+=" "'none turns all';;
        *" crossing --kind") words+=" "'couples missionaries wolf';;
        *" domination --piece") words+=" "'queen rook bishop king knight';;
        *" peg --board") words+=" "'hoppers triangle10 triangle15 triangle21 triangle21_modified english33 french37 diamond41 wiegleb45';;
        *" peg --bound") words+=" "'none corners classes triples regions feasible auto';;
        *" hoppers --board") words+=" "'hoppers triangle10 triangle15 triangle21 triangle21_modified english33 french37 diamond41 wiegleb45';;
        *" hoppers --bound") words+=" "'none corners classes triples regions feasible auto';;
        *" peg21 --board") words+=" "'hoppers triangle10 triangle15 triangle21 triangle21_modified english33 french37 diamond41 wiegleb45';;
        *" peg21 --bound") words+=" "'none corners classes triples regions feasible auto';;
        *" permutations --method") words+=" "'lists bits';;
        *" polyominoes --kind") words+=" "'free one-sided fixed';;
        *" polyominoes --symmetry") words+=" "'none turns all';;
        *" queens --method") words+=" "'auto permutations backtrack bits mirror quadrants';;
        *" sliding --bound") words+=" "'none manhattan patterns auto';;
        *" eight --bound") words+=" "'none manhattan patterns auto';;
        *" five --bound") words+=" "'none manhattan patterns auto';;
        *" eleven --bound") words+=" "'none manhattan patterns auto';;
    esac
    if [[ -z $words && $current == -* ]]; then
        case "$command" in
        solve) words+=" "'-h --help --want --skip --take --sample --seed --json --csv --boards --slack --at-most --engine --transposition --limit --part --spill --journal --name --file --rename --html --timeout --row-timeout --max-memory --log --workers --dask --quiet';;
        count) words+=" "'-h --help --json --csv --slack --at-most --engine --transposition --limit --part --spill --journal --name --file --rename --html --timeout --row-timeout --max-memory --log --workers --dask --quiet';;
        unique) words+=" "'-h --help --json --csv --engine --transposition --limit --part --spill --journal --name --file --rename --html --timeout --row-timeout --max-memory --log --workers --dask --quiet';;
        explore) words+=" "'-h --help --max-memory --workers --spill --boards --json --from --quiet';;
        estimate) words+=" "'-h --help --limit --engine --workers --time --json';;
        list) words+=" "'-h --help --json';;
        describe) words+=" "'-h --help --json';;
        new) words+=" "'-h --help';;
        check) words+=" "'-h --help --states --json';;
        run) words+=" "'-h --help --journal --only --workers --dask --timeout --max-memory --log --quiet';;
        merge) words+=" "'-h --help --job --json --puzzle';;
        status) words+=" "'-h --help --all --json';;
        show) words+=" "'-h --help --solutions --puzzle --boards --json';;
        forget) words+=" "'-h --help --pattern --yes';;
        report) words+=" "'-h --help -o --output --worksheet --puzzle';;
        export) words+=" "'-h --help --format --solutions';;
        tables) words+=" "'-h --help --json';;
        bench) words+=" "'-h --help --n --methods --workers --rounds --seconds --output --json';;
        completion) words+=" "'-h --help';;
        help) words+=" "'-h --help';;
        esac
        case "$command $puzzle" in
        "solve cover" | "count cover" | "unique cover" | "explore cover" | "estimate cover" | "describe cover" | "check cover") words+=" "'--file --problem --order --symmetry';;
        "solve crossing" | "count crossing" | "unique crossing" | "explore crossing" | "estimate crossing" | "describe crossing" | "check crossing") words+=" "'--kind --couples --each --boat';;
        "solve domination" | "count domination" | "unique domination" | "explore domination" | "estimate domination" | "describe domination" | "check domination") words+=" "'--piece --n --board --independent --no-independent --total --no-total --unique --no-unique';;
        "solve flipit" | "count flipit" | "unique flipit" | "explore flipit" | "estimate flipit" | "describe flipit" | "check flipit") words+=" "'--row --goal';;
        "solve flipit-a" | "count flipit-a" | "unique flipit-a" | "explore flipit-a" | "estimate flipit-a" | "describe flipit-a" | "check flipit-a") words+=" "'--row --goal';;
        "solve flipit-b" | "count flipit-b" | "unique flipit-b" | "explore flipit-b" | "estimate flipit-b" | "describe flipit-b" | "check flipit-b") words+=" "'--row --goal';;
        "solve flipit-c" | "count flipit-c" | "unique flipit-c" | "explore flipit-c" | "estimate flipit-c" | "describe flipit-c" | "check flipit-c") words+=" "'--row --goal';;
        "solve jugs" | "count jugs" | "unique jugs" | "explore jugs" | "estimate jugs" | "describe jugs" | "check jugs") words+=" "'--capacities --target';;
        "solve langford" | "count langford" | "unique langford" | "explore langford" | "estimate langford" | "describe langford" | "check langford") words+=" "--n;;
        "solve peg" | "count peg" | "unique peg" | "explore peg" | "estimate peg" | "describe peg" | "check peg") words+=" "'--board --vacancy --target --first --position --goal --unique --no-unique --bound';;
        "solve hoppers" | "count hoppers" | "unique hoppers" | "explore hoppers" | "estimate hoppers" | "describe hoppers" | "check hoppers") words+=" "'--board --vacancy --target --first --position --goal --unique --no-unique --bound';;
        "solve peg21" | "count peg21" | "unique peg21" | "explore peg21" | "estimate peg21" | "describe peg21" | "check peg21") words+=" "'--board --vacancy --target --first --position --goal --unique --no-unique --bound';;
        "solve permutations" | "count permutations" | "unique permutations" | "explore permutations" | "estimate permutations" | "describe permutations" | "check permutations") words+=" "'--n --method';;
        "solve polyominoes" | "count polyominoes" | "unique polyominoes" | "explore polyominoes" | "estimate polyominoes" | "describe polyominoes" | "check polyominoes") words+=" "'--board --pieces --kind --unique --no-unique --symmetric --no-symmetric --order --symmetry';;
        "solve queens" | "count queens" | "unique queens" | "explore queens" | "estimate queens" | "describe queens" | "check queens") words+=" "'--n --method --unique --no-unique';;
        "solve sliding" | "count sliding" | "unique sliding" | "explore sliding" | "estimate sliding" | "describe sliding" | "check sliding") words+=" "'--start --shape --goal --bound --patterns';;
        "solve eight" | "count eight" | "unique eight" | "explore eight" | "estimate eight" | "describe eight" | "check eight") words+=" "'--start --shape --goal --bound --patterns';;
        "solve five" | "count five" | "unique five" | "explore five" | "estimate five" | "describe five" | "check five") words+=" "'--start --shape --goal --bound --patterns';;
        "solve eleven" | "count eleven" | "unique eleven" | "explore eleven" | "estimate eleven" | "describe eleven" | "check eleven") words+=" "'--start --shape --goal --bound --patterns';;
        "solve sudoku" | "count sudoku" | "unique sudoku" | "explore sudoku" | "estimate sudoku" | "describe sudoku" | "check sudoku") words+=" "--grid;;
        esac
    elif [[ -z $words && $COMP_CWORD == 2 ]]; then
        case "$command" in
        solve) words+=" "'cover crossing domination flipit flipit-a flipit-b flipit-c jugs langford peg hoppers peg21 permutations polyominoes queens sliding eight five eleven sudoku';;
        count) words+=" "'cover crossing domination flipit flipit-a flipit-b flipit-c jugs langford peg hoppers peg21 permutations polyominoes queens sliding eight five eleven sudoku';;
        unique) words+=" "'cover crossing domination flipit flipit-a flipit-b flipit-c jugs langford peg hoppers peg21 permutations polyominoes queens sliding eight five eleven sudoku';;
        explore) words+=" "'cover crossing domination flipit flipit-a flipit-b flipit-c jugs langford peg hoppers peg21 permutations polyominoes queens sliding eight five eleven sudoku';;
        estimate) words+=" "'cover crossing domination flipit flipit-a flipit-b flipit-c jugs langford peg hoppers peg21 permutations polyominoes queens sliding eight five eleven sudoku';;
        describe) words+=" "'cover crossing domination flipit flipit-a flipit-b flipit-c jugs langford peg hoppers peg21 permutations polyominoes queens sliding eight five eleven sudoku';;
        check) words+=" "'cover crossing domination flipit flipit-a flipit-b flipit-c jugs langford peg hoppers peg21 permutations polyominoes queens sliding eight five eleven sudoku';;
        tables) words+=" "'build check delete';;
        bench) words+=" "'queens compare';;
        completion) words+=" "'bash zsh fish';;
        help) words+=" "'solve count unique explore estimate list describe new check run merge status show forget report export tables bench completion help cover crossing domination flipit flipit-a flipit-b flipit-c jugs langford peg hoppers peg21 permutations polyominoes queens sliding eight five eleven sudoku';;
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _parsolve parsolve
