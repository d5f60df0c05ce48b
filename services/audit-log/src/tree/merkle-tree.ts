import { hash } from 'node:crypto'

/**
 * The Merkle tree of RFC 6962, section 2.1: its size and frontier. The frontier has the hashes
 * of the largest perfect subtrees from left to right, one for each bit set in the size.
 */
export interface Tree {
  readonly size: number
  readonly frontier: readonly Buffer[]
}

export const hashBytes = 32
export const emptyTree: Tree = { size: 0, frontier: [] }

/** Returns the hash of a leaf. The prefix distinguishes leaves from nodes. */
export function leafHash(content: Buffer): Buffer {
  return hash('sha256', Buffer.concat([Buffer.of(0), content]), 'buffer')
}

/** Returns the tree with leaves added at its right end. */
export function grow(tree: Tree, leaves: readonly Buffer[]): Tree {
  const frontier = [...tree.frontier]
  let size = tree.size
  for (const leaf of leaves) {
    let node = leaf
    // Each trailing 1 in the binary size is a perfect subtree that becomes the left half of a larger one.
    for (let rest = size; rest % 2 === 1; rest = Math.floor(rest / 2)) node = nodeHash(frontier.pop() as Buffer, node)
    frontier.push(node)
    size++
  }
  return { size, frontier }
}

/** Returns the root hash. */
export function rootOf({ frontier }: Tree): Buffer {
  const last = frontier.at(-1)
  if (last === undefined) return hash('sha256', Buffer.alloc(0), 'buffer')
  return frontier.slice(0, -1).reduceRight((right, left) => nodeHash(left, right), last)
}

/** Concatenates hashes, as they are stored. */
export const packHashes = (hashes: readonly Buffer[]): Buffer => Buffer.concat(hashes)

/** Splits stored hashes. Returns undefined if the length is no multiple of the hash length. */
export function unpackHashes(bytes: Buffer): Buffer[] | undefined {
  if (bytes.length % hashBytes !== 0) return undefined
  return Array.from({ length: bytes.length / hashBytes }, (_, i) => bytes.subarray(i * hashBytes, (i + 1) * hashBytes))
}

/** Reads a stored tree, or returns undefined if the frontier does not match the size. */
export function storedTree(size: number, frontierBytes: Buffer): Tree | undefined {
  const frontier = unpackHashes(frontierBytes)
  const ones = size.toString(2).replaceAll('0', '').length
  return frontier?.length === ones ? { size, frontier } : undefined
}

function nodeHash(left: Buffer, right: Buffer): Buffer {
  return hash('sha256', Buffer.concat([Buffer.of(1), left, right]), 'buffer')
}
