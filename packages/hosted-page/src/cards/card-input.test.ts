import { groupNumber, typeCvc, typeExpiry, typeNumber } from './card-input.ts'

const atEnd = (text: string) => [text, text.length] as const

test.each([
  ['4242424242424242', '4242 4242 4242 4242'],
  ['378282246310005', '3782 822463 10005'],
  ['36227206271667', '3622 720627 1667'],
  ['6200000000000000003', '6200 0000 0000 0000 003'],
  ['42424', '4242 4'],
  ['', ''],
])('groups %s as it is embossed', (digits, shown) => {
  expect(groupNumber(digits)).toBe(shown)
})

test('groups a pasted number and drops excess digits', () => {
  expect(typeNumber(...atEnd('5555-5555-5555-44449')).value).toBe('5555 5555 5555 4444')
})

test('keeps the caret behind its digit when a digit is typed in the middle', () => {
  expect(typeNumber('42942 4242', 3)).toEqual({ value: '4294 2424 2', caret: 3 })
  expect(typeNumber('4242 94242', 6)).toEqual({ value: '4242 9424 2', caret: 6 })
})

test('keeps the caret behind the last digit when a letter is typed after it', () => {
  expect(typeNumber('4242 4x', 6)).toEqual({ value: '4242 4', caret: 6 })
})

test('keeps the caret at the end while typing', () => {
  expect(typeNumber(...atEnd('4242 42425'))).toEqual({ value: '4242 4242 5', caret: 11 })
})

test.each([
  ['1', '1'],
  ['12', '12'],
  ['123', '12 / 3'],
  ['1234', '12 / 34'],
  ['5', '05'],
  ['1/', '01'],
  ['1/30', '01 / 30'],
  ['5/2031', '05 / 31'],
  ['12 / 2031', '12 / 31'],
  ['12 / 203', '12 / 203'],
  ['12 / 345', '12 / 34'],
  ['', ''],
])('shapes the expiry %s as %s', (typed, shown) => {
  expect(typeExpiry(...atEnd(typed)).value).toBe(shown)
})

test('lets the payer delete an expiry down to the last digit', () => {
  expect(typeExpiry(...atEnd('12 / ')).value).toBe('12')
  expect(typeExpiry(...atEnd('0')).value).toBe('0')
})

test('keeps at most four digits of a security code', () => {
  expect(typeCvc(...atEnd('12a345'))).toEqual({ value: '1234', caret: 4 })
})
