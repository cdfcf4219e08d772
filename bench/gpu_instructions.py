#!/usr/bin/env python3
"""Prints how many machine instructions a warp takes in the kernel `leaf` for a dense pair. gpu_registers.sh calls this.

usage: gpu_instructions.py CUBIN SOURCE
Finds the basic blocks in the machine code (sm_90, sm_120), and the source lines of each block (ptxas -lineinfo,
readelf). RULES says to which part of the kernel a line belongs. WARPS says how often a warp enters each part for one
row and 32 columns. A function is entered as often as the blocks that call it. Each of its instructions is executed once
per call, except in the parts that it shares with the main loop (OF_PLAN). The function enters such a part, per call, as
often as the main loop enters the part per entry of 'easy pairs'.
"""
import re
import struct
import subprocess
import sys

# How often a warp enters each part of `leaf` for one row and 32 columns. The numbers were counted under PoCL at
# perft(9) of the start position ('row with hard pairs': at perft(8)), with a copy of `leaf` that sets a flag for each
# row, warp and part. A loop is entered as often as its slowest lane needs. The number of 'castling way' is an upper
# bound.
WARPS = {
    'way': 2.648,
    'castling way': 0.010,
    'column': 1,
    'row': 1,
    'row with pairs': 0.864,
    'row with hard pairs': 0.225,
    'king in sight': 0.093,
    'easy pairs': 0.770,
    'two rays': 1.136,
    'king': 0.632,
    'bishop near king': 0.080,
    'rook near king': 0.039,
    'castling': 0.048,
    'hard pairs': 0.105,
    'checked pairs': 0.022,
    'group': 1 / 32,
}
PAIRS = 23.1  # legal dense pairs of a row and 32 columns

# Each text occurs only once in SOURCE and stands for the line in which it begins. A block belongs to the first part
# that has a text for one of the block's lines.
RULES = [
    ('group', ['u32 row = list[first_listed + begin + (exists ? k : 0)]', 'tile.hard_size = tile.checked_size = 0;',
               'total->leaves[LANE] += ', 'total->leaves[LANE] = leaves;', 'totals[2 * GROUP] = total->leaves[0];']),
    ('way', ['Way way = ways[way_number];', 'sum += paths;\n        all_sums']),
    ('castling way', ['if (way.castles && paths) {', 'if (!king_may_pass(plan->pieces, king, king_to',
                      'if (row_attacks(row, pop_lowest(&path), occupied)) return 0;']),
    ('column', ['u32 sum = 0, end = first_way[first_column + j + 1];', 'for (u32 way_number =',
                'tile.paths[PLACE(k, j)] = exists ? sum : 0;', 'for (u32 j = LANE / ROWS;']),
    ('hard pairs', ['for (u32 at = LANE; at < tile.hard_size;', 'u32 pair = tile.hard[at]', 'if (moves == NONE)\n      tile',
                    'tile.checked[atomic_inc', 'leaves += (u64)tile.paths[PLACE(k, j)] * moves;\n  }\n  BARRIER;']),
    ('checked pairs', ['for (u32 at = LANE; at < tile.checked_size;', 'u32 k = tile.checked[at] / LANES']),
    ('row', ['for (u32 k = 0; k < ROWS; ++k) {\n    u32 paths', 'u32 paths = tile.paths[PLACE(k, LANE)];']),
    ('king in sight', ['row_attacks(plan->pieces, lowest(view.king), plan->all | view.all))\n      continue;  // the']),
    ('row with hard pairs', ['tile.hard[atomic_inc']),
    ('row with pairs', ['if ((plan->sight & view.king) &&\n        row_attacks(plan->pieces, lowest(view.king), plan->all | '
                        'view.all))\n      continue;  // the', 'if (is_hard(plan, view)) {\n      tile.hard']),
    ('two rays', ['squares += squares_seen(ray[i], pieces)']),
    ('bishop near king', ['while (bishops) safe &=']),
    ('rook near king', ['while (rooks) safe &=']),
    ('king', ['u64 safe = plan->steps & ~column.steps']),
    ('castling', ['int rook = pop_lowest(&rooks);\n    CastlingPath path = castling_path(king, rook);\n    if (path.empty & occupied)',
                  'u64 unsafe = path.king_path', 'unsafe &= unsafe - 1;', 'while (unsafe &&', 'moves += !sliders_attack(path.king_to',
                  'return count_castling(plan->pieces', 'while (rooks) {\n    int rook = pop_lowest(&rooks);\n    '
                  'CastlingPath path = castling_path(king, rook);\n    if (path.empty & occupied)']),
    ('easy pairs', ['u64 push = plan->push & ~column.all', 'for (u32 i = 0; i < rays; i += 2)', 'if (!plan->steps) return 0;',
                    'if (plan->may_castle)\n      moves += count_castling_by_plan(\n', 'leaves += (u64)paths * moves;',
                    'moves += count_castling_by_plan(\n']),
]
# Only blocks that jump back to their own start belong to these parts. Other blocks with the same lines belong to
# 'king'.
LOOPS = {'bishop near king', 'rook near king'}
OF_PLAN = {'two rays', 'bishop near king', 'rook near king', 'king', 'castling'}  # also in count_pinned_by_plan
HELPERS_END = '/// Returns the squares that a column'  # the lines before this text are helpers for squares and attacks
BRA, EXIT, CALL, RET, NOP = 0x947, 0x94D, 0x944, 0x950, 0x918
BYTES = 16  # of an instruction


def elf_sections(file):
    """Returns the contents of the sections of a 64-bit ELF file, by name and in order."""
    table, = struct.unpack_from('<Q', file, 0x28)
    size, count, names = struct.unpack_from('<HHH', file, 0x3A)
    headers = [struct.unpack_from('<IIQQQQ', file, table + i * size) for i in range(count)]
    begins = [headers[names][4] + header[0] for header in headers]
    return {file[begin:file.index(b'\0', begin)].decode(): file[header[4]:header[4] + header[5]]
            for begin, header in zip(begins, headers)}


def target_of(address, low, high):
    """Returns the target of a jump. The instruction contains the distance in words, 8 bits of it in a separate place."""
    words = ((low >> 34 | high << 30) & (1 << 48) - 1) << 8 | low >> 16 & 0xFF
    return address + BYTES + 4 * (words - (words >> 55 << 56))


def instructions(code):
    for address in range(0, len(code), BYTES):
        low, high = struct.unpack_from('<QQ', code, address)
        opcode = low & 0xFFF
        yield address, opcode, target_of(address, low, high) if opcode in (BRA, CALL) else None


def lines_of(path, number):
    """Returns the source line by address, for those addresses of code section `number` at which the line changes."""
    dump = subprocess.run(['readelf', '--debug-dump=decodedline', path], capture_output=True, text=True, check=False).stdout
    entries = re.findall(r'^\S+ +(\d+|-) +(?:0x)?([0-9a-f]+)\b', dump, re.MULTILINE)
    ends = [i for i, entry in enumerate(entries) if entry[0] == '-']
    first = ends[number - 1] + 1 if number else 0
    return {int(address, 16): int(line) for line, address in entries[first:ends[number]]}


class Block:
    def __init__(self, begin):
        self.begin, self.size, self.lines, self.calls, self.is_loop = begin, 0, set(), None, False


def blocks_of(code, lines):
    code = list(instructions(code))
    targets = {target for _, _, target in code}
    blocks, line = [Block(0)], 0
    for address, opcode, target in code:
        if address in targets and blocks[-1].size: blocks.append(Block(address))
        block, line = blocks[-1], lines.get(address, line)
        block.lines.add(line)
        block.size += opcode != NOP
        if opcode in (BRA, CALL, EXIT, RET):
            block.calls = target if opcode == CALL else None
            block.is_loop = opcode == BRA and target == block.begin
            blocks.append(Block(address + BYTES))
    return [block for block in blocks if block.size]


def rule_lines(source):
    """Returns the numbers of the lines for which RULES has a text."""
    numbers = []
    for part, texts in RULES:
        for text in texts:
            if source.count(text) != 1: sys.exit(f'{part}: must be in the source once, is {source.count(text)} times: {text}')
        numbers.append((part, {source.count('\n', 0, source.index(text)) + 1 for text in texts}))
    return numbers


def part_of(block, rules):
    for part, lines in rules:
        if block.lines & lines:
            return 'king' if part in LOOPS and not block.is_loop else part
    return None


def parts_of(blocks, rules, helpers_end):
    """Returns the part of each block. A block with only lines of helpers belongs to the part of the previous block."""
    parts = []
    for block in blocks:
        part = part_of(block, rules)
        is_helper = parts and part is None and max(block.lines) < helpers_end
        parts.append(parts[-1] if is_helper else part)
    return parts


def main():
    path, source_path = sys.argv[1:3]
    sections = elf_sections(open(path, 'rb').read())
    kernels = [name for name in sections if name.startswith('.text.')]
    number = kernels.index('.text.leaf')
    blocks = blocks_of(sections['.text.leaf'], lines_of(path, number))
    source = open(source_path, encoding='utf-8').read()
    rules, helpers_end = rule_lines(source), source[:source.index(HELPERS_END)].count('\n')
    functions = sorted({block.calls for block in blocks if block.calls is not None})
    taken, calls = {}, dict.fromkeys(functions, 0.0)

    def add(chosen, name, weight_of):
        for block, part in zip(chosen, parts_of(chosen, rules, helpers_end)):
            weight = weight_of(part)
            taken[name or part or 'group'] = taken.get(name or part or 'group', 0) + weight * block.size
            if block.calls is not None: calls[block.calls] += weight

    ends = functions[1:] + [len(sections['.text.leaf'])]
    add([b for b in blocks if b.begin < functions[0]], None, lambda part: WARPS[part or 'group'])
    # A function calls only functions with higher addresses.
    for begin, end in zip(functions, ends):
        body = [b for b in blocks if begin <= b.begin < end]
        times = calls[begin]
        add(body, f'function of {sum(b.size for b in body)}',
            lambda part, times=times: times * (WARPS[part] / WARPS['easy pairs'] if part in OF_PLAN else 1))
    for name, count in taken.items(): print(f'    {name:<18} {count:6.1f}')
    total = sum(taken.values())
    print(f'  leaf, a row and 32 columns: {total:.0f} instructions; a dense pair: {total / PAIRS:.1f}')


if __name__ == '__main__':
    main()
