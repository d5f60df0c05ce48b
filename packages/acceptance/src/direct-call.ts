import { request as httpRequest } from 'node:http'

/** Makes a call with the given header names unchanged, possibly repeated. */
export function directCall(url: string, method: string, headers: string[]): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers: ['Host', 'a', 'Connection', 'close', ...headers] }, answer => {
      let body = ''
      answer.setEncoding('utf8')
      answer.on('data', text => {
        body += text
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }))
    })
    sent.on('error', reject)
    sent.end()
  })
}
