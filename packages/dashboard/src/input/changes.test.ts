import { changedTexts, metadataOf } from './changes.ts'

test('only what was changed is sent, and what was emptied is removed', () => {
  const stored = { reference: 'A-1', order_id: 'O-1', payer_email: '' }
  expect(changedTexts(stored, { ...stored, reference: ' A-1 ' })).toEqual({})
  expect(changedTexts(stored, { reference: 'A-2', order_id: ' ', payer_email: '' })).toEqual({
    reference: 'A-2',
    order_id: null,
  })
})

test.each<[string, object | null | undefined]>([
  ['', null],
  [' \n', null],
  ['{"plan": "gold"}', { plan: 'gold' }],
  ['{}', {}],
  ['[1]', undefined],
  ['null', undefined],
  ['{plan}', undefined],
])('%j as metadata', (text, metadata) => {
  expect(metadataOf(text)).toEqual(metadata)
})
