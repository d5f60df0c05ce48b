import { generateKeyPairSync, hash } from 'node:crypto'
import { signingKey, verifyingKey } from './checkpoint-keys.ts'
import { type Checkpoint, isSigned, noteHash, readNote, signedNote } from './checkpoint-note.ts'

const newKey = () => signingKey(generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }))
const key = newKey()
const time = '2026-05-04T03:02:01.123Z'
const checkpoint: Checkpoint = { size: 12, root: hash('sha256', 'root', 'buffer'), previous: noteHash(''), time }
const note = signedNote(checkpoint, key)

test('a signed note has the format of C2SP tlog-checkpoint and is parsed back', () => {
  expect(readNote(note)).toEqual(checkpoint)
  expect(isSigned(note, [newKey(), key])).toBe(true)
  expect(note.split('\n')).toEqual([
    'cobro-audit-log',
    '12',
    checkpoint.root.toString('base64'),
    'previous 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
    'time 2026-05-04T03:02:01.123Z',
    '',
    expect.stringMatching(/^— cobro-audit-log [A-Za-z0-9+/]{91}=$/),
    '',
  ])
})

test('a note without a time is valid', () => {
  const { time: _, ...older } = checkpoint
  const text = signedNote(older, key)
  expect(readNote(text)).toEqual(older)
  expect(isSigned(text, [key])).toBe(true)
})

// The key is the first test vector of RFC 8032, section 7.1. Its id is the hash defined by C2SP signed-note.
test('a checkpoint key has the id and text defined by C2SP signed-note', () => {
  const x = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex')
  const { id, text } = verifyingKey({ kty: 'OKP', crv: 'Ed25519', x: x.toString('base64url') })
  const encoded = Buffer.concat([Buffer.from('cobro-audit-log\n\x01'), x])
  expect(id).toEqual(hash('sha256', encoded, 'buffer').subarray(0, 4))
  expect(text).toBe(`cobro-audit-log+${id.toString('hex')}+${Buffer.concat([Buffer.of(1), x]).toString('base64')}`)
})

test('changing any byte of a note makes its signature invalid', () => {
  const bytes = Buffer.from(note)
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect([at, isSigned(changed.toString(), [key])]).toEqual([at, false])
  }
})

test.each<[string, string]>([
  ['an empty text', ''],
  ['a truncated note', note.slice(0, -1)],
  ['a note followed by text', `${note}x\n`],
  ['a note with a leading zero in its size', note.replace('\n12\n', '\n012\n')],
  ['a note with the size 0', note.replace('\n12\n', '\n0\n')],
  ['a note with a size above 2^53', note.replace('\n12\n', '\n9007199254740993\n')],
  ['a note with another origin', note.replace(/^cobro/, 'other')],
  ['a note with an additional line', note.replace('\n\n', '\nmore\n\n')],
  ['a note without the previous checkpoint', note.replace(/previous .*\n/, '')],
  ['a note with another line instead of the time', note.replace('\ntime ', '\nwhen ')],
  ['a note with an invalid time', note.replace(time, '2026-13-04T03:02:01.123Z')],
  ['a note with a time in another format', note.replace(time, '2026-05-04T03:02:01Z')],
])('%s is not parsed as a checkpoint', (_case, text) => {
  expect(readNote(text)).toBeUndefined()
  expect(isSigned(text, [key])).toBe(false)
})

test('a note signed with an unknown key is not valid', () => {
  expect(isSigned(signedNote(checkpoint, newKey()), [key])).toBe(false)
  expect(isSigned(note, [])).toBe(false)
})
