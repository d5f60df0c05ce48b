export interface BrandColors {
  readonly background: string
  /** Black or white, whichever reads better on the background. */
  readonly text: string
}

/** The colours of a merchant's button. Undefined for a text that is no #rrggbb. */
export function brandColors(color: string | null): BrandColors | undefined {
  if (!color || !/^#[0-9a-f]{6}$/i.test(color)) return undefined
  // One of the two always reaches 4.58:1 at least, which is above the 4.5:1 of WCAG AA.
  const text = contrast(color, '#ffffff') >= contrast(color, '#000000') ? '#ffffff' : '#000000'
  return { background: color, text }
}

/** The contrast ratio of WCAG 2 between two colours given as #rrggbb, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: string): number {
  const channel = (at: number) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}
