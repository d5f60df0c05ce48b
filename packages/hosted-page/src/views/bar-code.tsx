import { barcodeOf } from '../cash/code-128.ts'

const height = 72

/** A voucher's barcode, two pixels to the module so that its bars fall on whole ones. Nothing where it cannot be drawn. */
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
