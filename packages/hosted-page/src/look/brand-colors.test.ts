import { brandColors, contrast } from './brand-colors.ts'

test('computes contrast as WCAG defines it', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
})

test('chooses a text color with enough contrast for every brand color', () => {
  for (let color = 0; color < 0x1000000; color += 4099) {
    const background = `#${color.toString(16).padStart(6, '0')}`
    const { text, hover } = brandColors(background) ?? { text: background, hover: background }
    expect(contrast(background, text)).toBeGreaterThanOrEqual(4.5)
    expect(contrast(hover, text)).toBeGreaterThanOrEqual(4.5)
    expect(hover).not.toBe(background)
  }
})

test.each([null, '', 'red', '#fff', '#12345g', '#1234567'])('returns no colors for %s', color => {
  expect(brandColors(color)).toBeUndefined()
})
