const PT_LOAD = 1
const PT_NOTE = 4
const PT_PHDR = 6
const READABLE = 4
const PAGE = 4096
/** The sizes of ELF64 structures (System V ABI, chapters 4 and 5). */
const PROGRAM_HEADER = 56
const PHOFF = 0x20
const PHNUM = 0x38
/** Node's fuse, which a colon and a character follow that tells whether there is a blob to start (docs: single executables). */
export const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
/** The name of the note in which Node looks for it. */
export const NOTE = 'NODE_SEA_BLOB'

/**
 * Puts a single-executable blob into a copy of Node for Linux: as a note in a segment of its own behind everything
 * else, with a table of program headers that lists it. All other parts keep their offsets and addresses.
 * @throws Error if `node` is no 64-bit little-endian ELF file with Node's fuse
 */
export function withBlob(node: Buffer, blob: Buffer): Buffer {
  if (node.readUInt32BE(0) !== 0x7f454c46 || node[4] !== 2 || node[5] !== 1)
    throw new Error('this Node is no 64-bit ELF executable: only executables for Linux are made here')
  const headers = headersOf(node)
  const loads = headers.filter((header) => header.readUInt32LE(0) === PT_LOAD)
  const first = loads[0]
  if (!first) throw new Error('this Node has no segment to load')
  const base = addressOf(first) - Number(first.readBigUInt64LE(8))
  const used = Math.max(...loads.map((header) => addressOf(header) + Number(header.readBigUInt64LE(40))))
  // As far from the base in memory as in the file: old and new kernels find the table at the same place.
  const offset = aligned(Math.max(node.length, used - base), PAGE)
  const count = headers.length + 2
  const note = noteOf(blob)
  const noteAt = aligned(count * PROGRAM_HEADER, 8)
  const size = noteAt + note.length
  const load = segment(PT_LOAD, offset, base + offset, size, PAGE)
  const last = headers.lastIndexOf(loads.at(-1) ?? first)
  const table = [...headers.slice(0, last + 1), load, ...headers.slice(last + 1)].map((header) =>
    header.readUInt32LE(0) === PT_PHDR
      ? segment(PT_PHDR, offset, base + offset, count * PROGRAM_HEADER, 8)
      : header,
  )
  table.push(segment(PT_NOTE, offset + noteAt, base + offset + noteAt, note.length, 4))
  const executable = Buffer.alloc(offset + size)
  node.copy(executable)
  Buffer.concat(table).copy(executable, offset)
  note.copy(executable, offset + noteAt)
  executable.writeBigUInt64LE(BigInt(offset), PHOFF)
  executable.writeUInt16LE(count, PHNUM)
  arm(executable)
  return executable
}

function headersOf(node: Buffer): Buffer[] {
  const at = Number(node.readBigUInt64LE(PHOFF))
  return Array.from({ length: node.readUInt16LE(PHNUM) }, (_, index) => {
    const start = at + index * PROGRAM_HEADER
    return node.subarray(start, start + PROGRAM_HEADER)
  })
}

function addressOf(header: Buffer): number {
  return Number(header.readBigUInt64LE(16))
}

function segment(type: number, offset: number, address: number, size: number, alignment: number): Buffer {
  const header = Buffer.alloc(PROGRAM_HEADER)
  header.writeUInt32LE(type, 0)
  header.writeUInt32LE(READABLE, 4)
  for (const [place, value] of [offset, address, address, size, size, alignment].entries())
    header.writeBigUInt64LE(BigInt(value), 8 + place * 8)
  return header
}

/** A note: the sizes of name and content, a type, and both, each filled up to four bytes. */
function noteOf(blob: Buffer): Buffer {
  const name = Buffer.from(`${NOTE}\0`)
  const note = Buffer.alloc(12 + aligned(name.length, 4) + aligned(blob.length, 4))
  note.writeUInt32LE(name.length, 0)
  note.writeUInt32LE(blob.length, 4)
  name.copy(note, 12)
  blob.copy(note, 12 + aligned(name.length, 4))
  return note
}

function aligned(value: number, to: number): number {
  return Math.ceil(value / to) * to
}

/** Tells Node that there is something to start. */
function arm(executable: Buffer): void {
  const at = executable.indexOf(`${FUSE}:0`)
  if (at === -1) throw new Error('this Node cannot become a single executable: its mark is missing')
  executable.write('1', at + FUSE.length + 1)
}
