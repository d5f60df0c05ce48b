import type { ComponentChildren } from 'preact'
import { brandName, type CardBrand } from '../cards/card-brands.ts'

/** Simplified brand marks, drawn here so that the page loads no external image. */
const drawings: Record<CardBrand, { fill: string; mark: ComponentChildren }> = {
  visa: { fill: '#1a1f71', mark: <Word color="#fff" text="VISA" italic /> },
  amex: { fill: '#016fd0', mark: <Word color="#fff" text="AMEX" /> },
  carnet: { fill: '#a6192e', mark: <Word color="#fff" text="CARNET" small /> },
  discover: { fill: '#fff', mark: <Word color="#231f20" text="DISCOVER" small underline="#f47216" /> },
  mastercard: { fill: '#fff', mark: <Circles left="#eb001b" right="#f79e1b" /> },
  diners: { fill: '#fff', mark: <Circles left="#0079be" right="#7fb8dd" /> },
  jcb: { fill: '#fff', mark: <Bars colors={['#0e4c96', '#bc1c32', '#0a7a3c']} /> },
  unionpay: { fill: '#fff', mark: <Bars colors={['#d3222a', '#0b4f8a', '#017d86']} /> },
}

/** The card's brand beside its number; a blank card while it is unknown. */
export function BrandMark({ brand }: { brand: CardBrand | undefined }) {
  if (!brand) {
    return (
      <svg class="brand-mark brand-unknown" viewBox="0 0 36 24" aria-hidden="true">
        <rect x="0.75" y="0.75" width="34.5" height="22.5" rx="3.5" />
        <path d="M1 7.5h34M6 16.5h8" />
      </svg>
    )
  }
  const { fill, mark } = drawings[brand]
  return (
    <svg class="brand-mark" viewBox="0 0 36 24" role="img" aria-label={brandName(brand)} data-brand={brand} key={brand}>
      <rect class="brand-edge" x="0.5" y="0.5" width="35" height="23" rx="3.5" fill={fill} />
      {mark}
    </svg>
  )
}

interface WordProps {
  color: string
  text: string
  italic?: boolean
  small?: boolean
  underline?: string
}

function Word({ color, text, italic, small, underline }: WordProps) {
  return (
    <>
      <text
        x="18"
        y={small ? 14.2 : 15.6}
        fill={color}
        text-anchor="middle"
        font-size={small ? 6.2 : 10}
        font-weight="800"
        font-style={italic ? 'italic' : 'normal'}
        textLength={small ? 29 : 26}
        lengthAdjust="spacingAndGlyphs"
      >
        {text}
      </text>
      {underline && <rect x="3.5" y="17" width="29" height="2" rx="1" fill={underline} />}
    </>
  )
}

function Circles({ left, right }: { left: string; right: string }) {
  return (
    <>
      <circle cx="14" cy="12" r="7" fill={left} />
      <circle cx="22" cy="12" r="7" fill={right} fill-opacity="0.88" />
    </>
  )
}

function Bars({ colors }: { colors: readonly string[] }) {
  return colors.map((color, i) => (
    <rect key={color} x={6 + i * 8.2} y="4" width="7.4" height="16" rx="2.4" fill={color} />
  ))
}
