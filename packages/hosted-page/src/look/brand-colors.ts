const white = '#ffffff'
const black = '#000000'

/**
 * Returns the colors of a merchant's button: its background, that on hover, and black or white for
 * the text, whichever has more contrast. Undefined if the color is not #rrggbb.
 */
export function brandColors(color: string | null) {
  if (!color || !/^#[0-9a-f]{6}$/i.test(color)) return undefined
  // One of the two always reaches at least 4.58:1, above the 4.5:1 of WCAG AA.
  const text = contrast(color, white) >= contrast(color, black) ? white : black
  const away = text === white ? black : white
  // Move away from the text color for more contrast; if that is not possible, the contrast is at least 15:1 anyway.
  const hover = contrast(color, text) > 15 ? mix(color, text, 0.16) : mix(color, away, 0.14)
  return { background: color, text, hover }
}

function mix(one: string, other: string, share: number): string {
  const channels = [1, 3, 5].map(at => Math.round(channel(one, at) * (1 - share) + channel(other, at) * share))
  return `#${channels.map(value => value.toString(16).padStart(2, '0')).join('')}`
}

/** Returns the WCAG 2 contrast ratio of two #rrggbb colors, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

function channel(color: string, at: number): number {
  return Number.parseInt(color.slice(at, at + 2), 16)
}

function luminance(color: string): number {
  const linear = (at: number) => {
    const value = channel(color, at) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(1) + 0.7152 * linear(3) + 0.0722 * linear(5)
}
