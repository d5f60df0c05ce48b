import type { LoggedCall } from './call-log.ts'

/** Returns a call for a shell. The token stays in the environment of who runs it. */
export function curlOf({ method, url, headers, body }: LoggedCall): string {
  const parts = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`,
    '-H "Authorization: Bearer $COBRO_TOKEN"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
  ]
  return parts.join(' \\\n  ')
}

/** Within single quotes, a shell takes every character but the quote as it is. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
