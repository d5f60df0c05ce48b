import { generateKeyPairSync, sign } from 'node:crypto'
import { signingKey } from '../tree/checkpoint-keys.ts'
import { noteHash, signedNote } from '../tree/checkpoint-note.ts'
import { emptyTree, grow, leafHash, packHashes, rootOf } from '../tree/merkle-tree.ts'
import {
  type CheckpointRow,
  checkCheckpoint,
  emptyTrustedTree,
  type TrustedTree,
  trustedTreeAt,
} from './check-checkpoint.ts'

const newKey = () => signingKey(generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }))
const key = newKey()
const time = '2026-05-04T03:02:01.123Z'
const otherTime = '2026-05-04T03:02:01.124Z'
const leaves = ['a', 'b', 'c', 'd', 'e'].map(text => leafHash(Buffer.from(text)))

/** The checkpoint after three events, and the one after two more. */
const first = rowAfter(emptyTrustedTree, leaves.slice(0, 3))
const trusted: TrustedTree = { tree: grow(emptyTree, leaves.slice(0, 3)), previous: noteHash(first.note) }
const second = rowAfter(trusted, leaves.slice(3))

function rowAfter(
  { tree, previous }: TrustedTree,
  added: Buffer[],
  options: { by?: typeof key; size?: number; timed?: false } = {},
) {
  const next = grow(tree, added)
  const { by = key, size = next.size, timed = true } = options
  const note = signedNote({ size, root: rootOf(next), previous, ...(timed && { time }) }, by)
  return { size, leaves: packHashes(added), frontier: packHashes(next.frontier), note, time }
}

/** A text that was signed with the right key, but is no checkpoint. */
function signedText(): string {
  const text = 'cobro-audit-log\nall is well\n'
  const signature = Buffer.concat([key.id, sign(null, Buffer.from(text), key.privateKey)])
  return `${text}\n— cobro-audit-log ${signature.toString('base64')}\n`
}

test('a checkpoint extends the trusted tree by its leaves', () => {
  const checked = checkCheckpoint([newKey(), key], trusted, second)
  expect(checked).toEqual({
    trusted: { tree: grow(emptyTree, leaves), previous: noteHash(second.note) },
    leaves: leaves.slice(3),
  })
  expect(trustedTreeAt([key], second)).toEqual({ tree: grow(emptyTree, leaves), previous: noteHash(second.note) })
})

test('the time of a checkpoint whose note lacks one is not checked', () => {
  const older: CheckpointRow = { ...rowAfter(trusted, leaves.slice(3), { timed: false }), time: otherTime }
  expect(checkCheckpoint([key], trusted, older)).toHaveProperty('trusted')
  expect(trustedTreeAt([key], older)).toHaveProperty('tree')
})

test.each<[string, object, object]>([
  [
    'a note signed with another key',
    rowAfter(trusted, leaves.slice(3), { by: newKey() }),
    { kind: 'checkpoint_unsigned' },
  ],
  ['another size than the signed one', { size: 6 }, { kind: 'checkpoint_changed', expected: '5', found: '6' }],
  ['a signed text that is no checkpoint', { note: signedText() }, { kind: 'checkpoint_changed', found: '5' }],
  ['another time than the signed one', { time: otherTime }, { kind: 'checkpoint_changed', expected: time }],
  [
    'another checkpoint before it',
    rowAfter({ ...trusted, previous: noteHash('another') }, leaves.slice(3)),
    { kind: 'checkpoint_missing', expected: noteHash('another').toString('hex') },
  ],
  [
    'another leaf',
    { leaves: packHashes([leafHash(Buffer.from('x')), leaves[4] ?? key.id]) },
    { kind: 'leaves_changed' },
  ],
  ['a leaf too few', { leaves: packHashes(leaves.slice(3, 4)) }, { kind: 'leaves_changed' }],
  [
    'a leaf too few for its signed size',
    rowAfter(trusted, leaves.slice(3, 4), { size: 5 }),
    { kind: 'leaves_changed' },
  ],
  ['half a leaf', { leaves: second.leaves.subarray(0, 48) }, { kind: 'leaves_changed' }],
  ['another frontier', { frontier: Buffer.from(second.frontier.toReversed()) }, { kind: 'checkpoint_changed' }],
])('a checkpoint with %s is a violation at its first event', (_what, change, violation) => {
  expect(checkCheckpoint([key], trusted, { ...second, ...change })).toMatchObject({ seq: 4, ...violation })
})

const root = rootOf(grow(emptyTree, leaves)).toString('hex')

test.each<[string, object, object]>([
  [
    'a note signed with another key',
    rowAfter(trusted, leaves.slice(3), { by: newKey() }),
    { kind: 'checkpoint_unsigned' },
  ],
  ['another size than the signed one', { size: 6 }, { seq: 6, kind: 'checkpoint_changed', expected: root }],
  ['a signed text that is no checkpoint', { note: signedText() }, { kind: 'checkpoint_changed', expected: null }],
  ['another time than the signed one', { time: otherTime }, { kind: 'checkpoint_changed', found: otherTime }],
  [
    'a frontier of another size',
    { frontier: second.frontier.subarray(32) },
    { kind: 'checkpoint_changed', expected: root },
  ],
  [
    'another frontier',
    { frontier: Buffer.from(second.frontier.toReversed()) },
    { kind: 'checkpoint_changed', expected: root },
  ],
])('a checkpoint with %s is no start of a verification', (_what, change, violation) => {
  expect(trustedTreeAt([key], { ...second, ...change })).toMatchObject({ seq: 5, ...violation })
})
