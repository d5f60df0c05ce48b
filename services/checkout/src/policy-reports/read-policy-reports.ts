import { ApiError, isId, maskStart, type PayableId } from '@cobro/contracts'
import { z } from 'zod'

/** A reported violation, reduced to what the audit log may hold. */
export interface Violation {
  id: PayableId | null
  directive: string
  blocked_origin: string
  source_file: string | null
  source_line: number | null
}

/** What a report is about: a violation, a browser extension of the payer, or nothing that we can use. */
export type ReadReport = Violation | 'extension' | 'rejected'

const directives = new Set([
  ...['default-src', 'script-src', 'script-src-elem', 'script-src-attr', 'style-src', 'style-src-elem'],
  ...['style-src-attr', 'img-src', 'connect-src', 'font-src', 'frame-src', 'child-src', 'worker-src'],
  ...['manifest-src', 'media-src', 'object-src', 'form-action', 'base-uri', 'frame-ancestors'],
  ...['require-trusted-types-for', 'trusted-types', 'integrity-policy'],
])

/** What browsers write in place of a URL. */
const blockedWords = new Set([
  ...['inline', 'eval', 'wasm-eval', 'trusted-types-sink', 'trusted-types-policy'],
  ...['self', 'data', 'blob', 'about', 'filesystem'],
])

const extension = /^(?:[a-z-]+-extension|user-script|webkit-masked-url)(?::|$)/
const maxReports = 100
const maxHostLength = 253

const text = z.string().nullish()
const line = z.int().positive().nullish().catch(null)

/** Of the Reporting API (`report-to`): a list of reports of several types. */
const newer = z.looseObject({
  type: z.enum(['csp-violation', 'integrity-violation']),
  body: z.object({
    documentURL: z.string(),
    blockedURL: text,
    effectiveDirective: text,
    sourceFile: text,
    lineNumber: line,
  }),
})

/** Of `report-uri`: one report. */
const older = z.object({
  'csp-report': z.object({
    'document-uri': z.string(),
    'blocked-uri': text,
    'effective-directive': text,
    'violated-directive': text,
    'source-file': text,
    'line-number': line,
  }),
})

type Report = z.output<typeof newer>

/**
 * Reads the reports of a browser on the pages of `origin`. Keeps only known words, ids, origins, and names of our files: URLs
 * that were blocked may contain what a script tried to steal. So a card number does not reject a report.
 */
export function readPolicyReports(contentType: string | undefined, body: Uint8Array, origin: string): ReadReport[] {
  return reportsOf(contentType, body).map(report => (report ? readReport(report, origin) : 'rejected'))
}

function reportsOf(contentType: string | undefined, body: Uint8Array): (Report | undefined)[] {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'application/csp-report') return [fromOlder(parseJson(body))]
  if (type !== 'application/reports+json')
    throw new ApiError('unsupported_media_type', 'expected application/reports+json or application/csp-report')
  const reports = parseJson(body)
  if (!Array.isArray(reports)) throw new ApiError('invalid_request', 'expected a list of reports')
  return reports.slice(0, maxReports).map(report => newer.safeParse(report).data)
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new ApiError('invalid_request', 'the body is not JSON')
  }
}

function fromOlder(value: unknown): Report | undefined {
  const report = older.safeParse(value).data?.['csp-report']
  return (
    report && {
      type: 'csp-violation',
      body: {
        documentURL: report['document-uri'],
        blockedURL: report['blocked-uri'],
        // CSP 2 has the whole directive of the policy here.
        effectiveDirective: report['effective-directive'] || report['violated-directive']?.split(' ', 1)[0],
        sourceFile: report['source-file'],
        lineNumber: report['line-number'],
      },
    }
  )
}

function readReport({ type, body }: Report, origin: string): ReadReport {
  const { documentURL, blockedURL, sourceFile } = body
  const directive = type === 'integrity-violation' ? 'integrity-policy' : body.effectiveDirective
  const page = URL.parse(documentURL)
  const [, id] = (page?.origin === origin && /^\/(?:checkout|links)\/([^/]*)\/?$/.exec(page.pathname)) || []
  if (id === undefined || !directive || !directives.has(directive)) return 'rejected'
  if (extension.test(blockedURL ?? '') || extension.test(sourceFile ?? '')) return 'extension'
  return {
    id: isId('cs', id) || isId('pl', id) ? id : null,
    directive,
    blocked_origin: originOf(blockedURL ?? ''),
    source_file: sourceFile ? sourceOf(sourceFile, origin) : null,
    source_line: body.lineNumber ?? null,
  }
}

/** Returns the name of a file of ours, `page`, or another origin. */
function sourceOf(url: string, origin: string): string {
  const parsed = URL.parse(url)
  if (parsed?.origin !== origin) return originOf(url)
  const [asset] = /^\/hosted\/assets\/[\w.-]{1,100}$/.exec(parsed.pathname) ?? []
  return asset ? masked(asset) : 'page'
}

function originOf(url: string): string {
  if (blockedWords.has(url)) return url
  const { protocol = '', host = '' } = URL.parse(url) ?? {}
  if (/^(?:https?|wss?):$/.test(protocol)) return `${protocol}//${masked(host)}`
  const scheme = protocol.slice(0, -1)
  return blockedWords.has(scheme) ? scheme : 'other'
}

const masked = (part: string) => maskStart(part, maxHostLength)
