import { createHash } from 'node:crypto'
import { emptyTree, grow, leafHash, packHashes, rootOf, storedTree, unpackHashes } from './merkle-tree.ts'

const sha256 = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest()

/** The recursive definition in RFC 6962, section 2.1. */
function definedRoot(contents: Buffer[]): Buffer {
  if (contents.length === 0) return sha256()
  if (contents.length === 1) return sha256(Buffer.of(0), contents[0]!)
  let k = 1
  while (k * 2 < contents.length) k *= 2
  return sha256(Buffer.of(1), definedRoot(contents.slice(0, k)), definedRoot(contents.slice(k)))
}

const leavesOf = (contents: Buffer[]) => contents.map(leafHash)
const contents = (count: number) => Array.from({ length: count }, (_, i) => Buffer.from(`content ${i}`))
const known = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map(
  hex => Buffer.from(hex, 'hex'),
)

// The test vectors of the Certificate Transparency reference implementation.
test.each([
  [0, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  [1, '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'],
  [2, 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
  [3, 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77'],
  [4, 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7'],
  [8, '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328'],
])('the Merkle root over %i leaves matches the Certificate Transparency test vector', (count, root) => {
  expect(rootOf(grow(emptyTree, leavesOf(known.slice(0, count)))).toString('hex')).toBe(root)
})

test('the Merkle tree matches the definition in RFC 6962 for every size up to 130', () => {
  for (let count = 0; count <= 130; count++)
    expect(rootOf(grow(emptyTree, leavesOf(contents(count))))).toEqual(definedRoot(contents(count)))
})

test('the Merkle tree does not depend on how its leaves are divided into batches', () => {
  const leaves = leavesOf(contents(70))
  const whole = grow(emptyTree, leaves)
  for (let cut = 0; cut <= 70; cut++)
    expect(grow(grow(emptyTree, leaves.slice(0, cut)), leaves.slice(cut))).toEqual(whole)
})

test('a stored Merkle tree is read back, unless its frontier does not match its size', () => {
  const tree = grow(emptyTree, leavesOf(contents(70)))
  const bytes = packHashes(tree.frontier)
  expect(storedTree(70, bytes)).toEqual(tree)
  expect(storedTree(0, Buffer.alloc(0))).toEqual(emptyTree)
  expect(storedTree(71, bytes)).toBeUndefined()
  expect(storedTree(70, bytes.subarray(1))).toBeUndefined()
  expect(unpackHashes(Buffer.alloc(33))).toBeUndefined()
})

test('the Merkle tree counts more than 2^32 leaves', () => {
  const size = 2 ** 33 + 1
  const tree = grow({ size, frontier: [leafHash(Buffer.of(1)), leafHash(Buffer.of(2))] }, [leafHash(Buffer.of(3))])
  expect([tree.size, tree.frontier.length]).toEqual([size + 1, 2])
})
