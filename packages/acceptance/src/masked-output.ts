import { exampleUrl } from '@cobro/docs/example-url'
import { maskedTimes } from './masked-times.ts'

const exampleId = '01kdvc4x2m8p6q7r9s0t1v2w3x'

/** Puts the values of the examples in place of those that differ from run to run, and lays out JSON for reading. */
export function maskedOutput(output: string, baseUrl: string): string {
  return maskedTimes(laidOut(output.trim()))
    .replaceAll(baseUrl, exampleUrl)
    .replace(/(?<=[a-z]_)[0-9a-hjkmnp-tv-z]{26}\b/g, exampleId)
    .replace(/(?<="payment_id": )\d+/g, '1042')
    .replace(/\b(?:vk_test|vst)_(?![*…])[\w-]{38,}/g, secret => `${secret.slice(0, secret.indexOf('_', 3) + 1)}…`)
    .replace(/\bwhsec_[A-Za-z0-9+/]{40,}={0,2}/g, 'whsec_…')
    .replace(/(?<=vk_test_\*{4})\w{4}/g, '9f3K')
    .replace(/\b93\d{12}\b/g, '93000000104226')
    .replace(/\b93\d{30}\b/g, '93000000104226261124000000250003')
    .replace(/\bMerchant [0-9a-f]{8}\b/g, 'Café Azul')
}

function laidOut(output: string): string {
  const lines = output.split('\n')
  return lines
    .map(line => {
      if (!/^[{[].*[\]}]$/.test(line)) return line
      try {
        return JSON.stringify(JSON.parse(line), null, 2)
      } catch {
        return line
      }
    })
    .join('\n')
}
