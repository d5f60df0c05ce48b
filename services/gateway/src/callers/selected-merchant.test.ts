import { selectedMerchants } from './selected-merchant.ts'

test.each([
  ['/a', [], [], '/a'],
  ['/a', ['mrc_1'], ['mrc_1'], '/a'],
  ['/a?merchant_id=mrc_1', [], ['mrc_1'], '/a'],
  ['/a?b=1&merchant_id=mrc_1&b=2', ['mrc_2'], ['mrc_2', 'mrc_1'], '/a?b=1&b=2'],
  ['/a?merchant_id=mrc_1&merchant_id=', [], ['mrc_1', ''], '/a'],
  ['/a?%6derchant_id=mrc_1', [], ['mrc_1'], '/a'],
  ['/a?merchant_id[]=mrc_1', [], [], '/a?merchant_id%5B%5D=mrc_1'],
  ['/a?', [], [], '/a'],
  ['/a?b=?&c=%7B%22d%22%3A%22%26%22%7D', [], [], '/a?b=%3F&c=%7B%22d%22%3A%22%26%22%7D'],
  ['/a?b=%zz&c=%00', [], [], '/a?b=%25zz&c=%00'],
])('the target %s with the headers %j selects %j and becomes %s', (target, header, ids, rest) => {
  expect(selectedMerchants(target, header)).toEqual({ ids, target: rest })
})
