import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiRequest, type ListRequestsParams, ServerError, UnansweredError, UnavailableError } from '@cobro/sdk'
import type { Command } from 'commander'
import { connect, type GlobalOptions } from '../connection/connect.ts'
import { CommandError } from '../output/failures.ts'
import { formatOf, printJsonLine, printLine, tell } from '../output/print.ts'

interface LogOptions extends GlobalOptions {
  status?: string
  method?: string
  operation?: string
}

const waitSeconds = 20
const retryMs = 1_000

/** Adds `logs tail`, which shows the merchant's calls of the API as they are recorded. */
export function addLogCommands(program: Command): void {
  const logs = program.command('logs').description("The merchant's own calls of the API")
  logs
    .command('tail')
    .description('Show calls as they are recorded')
    .option('--status <status>', 'a status such as 404, or a class such as 4xx')
    .option('--method <method>', 'GET, POST, PUT or DELETE')
    .option('--operation <id>', 'the id of an operation, such as refundTransaction')
    .action(async (_options, command: Command) => tail(command.optsWithGlobals<LogOptions>()))
}

async function tail(options: LogOptions): Promise<void> {
  const { cobro } = connect(options)
  const filters = filtersOf(options)
  const format = formatOf(options.output ?? (process.stdout.isTTY ? undefined : 'ndjson'))
  if (format !== 'table' && format !== 'ndjson') throw new CommandError('A log is printed as table or ndjson.')
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  let after: number | 'latest' = 'latest'
  let lost = false
  while (!stop.signal.aborted) {
    const params = { ...filters, after_seq: after, ...(after === 'latest' ? {} : { wait: waitSeconds }) }
    try {
      const page: Awaited<ReturnType<typeof cobro.requests.list>> = await cobro.requests.list(params, {
        signal: stop.signal,
      })
      if (lost) tell('Connected again; nothing was missed.')
      lost = false
      const isShown = ({ operation_id }: ApiRequest) =>
        options.operation !== undefined || operation_id !== 'listWebhookEvents'
      for (const call of page.data.filter(isShown)) {
        if (format === 'table') printLine(lineOf(call))
        else printJsonLine(call)
      }
      after = page.through ?? after
    } catch (error) {
      if (stop.signal.aborted) return
      if (!(error instanceof UnansweredError || error instanceof ServerError || error instanceof UnavailableError))
        throw error
      if (!lost) tell(`Disconnected at ${new Date().toISOString()}, and trying again.`)
      lost = true
      await sleep(retryMs)
    }
  }
}

function filtersOf({ status, method, operation }: LogOptions): ListRequestsParams {
  const [, exact, group] = /^(?:(\d{3})|([1-5])xx)$/.exec(status ?? '') ?? []
  if (status !== undefined && exact === undefined && group === undefined) {
    throw new CommandError('--status is a status such as 404, or a class such as 4xx.')
  }
  return {
    ...(exact && { status_code: Number(exact) }),
    ...(group && { status_class: `${group}xx` }),
    ...(method && { method: method.toUpperCase() }),
    ...(operation && { operation_id: operation }),
  } as ListRequestsParams
}

function lineOf({ occurred_at, status_code, method, path, duration_ms, error_code, request_id }: ApiRequest): string {
  const error = error_code ? ` ${error_code}` : ''
  return `${occurred_at}  ${status_code}  ${(method ?? '').padEnd(6)} ${path}${error}  ${duration_ms} ms  ${request_id}`
}
