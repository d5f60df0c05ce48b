import { barcodeOf } from '../cash/code-128.ts'

const height = 72

/** A voucher's barcode, two pixels per module so that bars align. Empty if it cannot be encoded. */
export function BarCode({ code, label }: { code: string; label: string }) {
  const barcode = barcodeOf(code)
  if (!barcode) return null
  const { modules, bars } = barcode
  return (
    <svg
      class="bar-code"
      width={modules * 2}
      height={height}
      viewBox={`0 0 ${modules} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path d={bars.map(({ x, width }) => `M${x} 8h${width}v${height - 16}h-${width}z`).join('')} />
    </svg>
  )
}
