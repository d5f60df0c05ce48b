import { existsSync, readFileSync } from 'node:fs'
import type { StackServiceName } from '../layout/stack-layout.ts'
import { stackDirectory, stackFiles } from '../layout/stack-paths.ts'
import type { Account, DemoData, DemoMerchant } from '../services/demo-data.ts'

/** Describes a running stack, in `stack.json` and for programs that started one. */
export interface Stack {
  environment: 'sandbox'
  base_url: string
  hosted_url: string
  acquirer_url: string
  merchant_id: string
  api_key: string
  operator: Account
  client: Account
  second: DemoMerchant
  postgres_url: string
  amqp_url: string
  /** The broker with the rights of the maintenance commands. */
  ops_amqp_url: string
  /** `webhook_waits_ms` are webhooks' retry delays. External programs read them by this name. */
  timings: { webhook_waits_ms: number[]; webhooks_allow_private: boolean }
  services: Partial<Record<StackServiceName, StackService>>
}

/** A service of a running stack. */
export interface StackService {
  pid: number
  port: number
  url: string
  /** Where Prometheus scrapes its metrics. */
  metrics_url: string
  log: string
}

export function describeStack(input: {
  gatewayUrl: string
  acquirerUrl: string
  demoData: DemoData
  postgresUrl: string
  amqpUrl: string
  opsAmqpUrl: string
  webhooks: Record<string, string>
  services: Partial<Record<StackServiceName, StackService>>
}): Stack {
  const { gatewayUrl, acquirerUrl, demoData, postgresUrl, amqpUrl, opsAmqpUrl, webhooks, services } = input
  const { demo, second, operator } = demoData
  return {
    environment: 'sandbox',
    base_url: gatewayUrl,
    hosted_url: gatewayUrl,
    acquirer_url: acquirerUrl,
    merchant_id: demo.merchant_id,
    api_key: demo.api_key,
    operator,
    client: demo.client,
    second,
    postgres_url: postgresUrl,
    amqp_url: amqpUrl,
    ops_amqp_url: opsAmqpUrl,
    timings: {
      webhook_waits_ms: (webhooks.WEBHOOK_RETRY_DELAYS_MS ?? '').split(',').map(Number),
      webhooks_allow_private: webhooks.WEBHOOKS_ALLOW_PRIVATE === 'true',
    },
    services,
  }
}

/** Returns the stack that is running in this directory, or undefined. */
export function readStack(): Stack | undefined {
  const { stack } = stackFiles(stackDirectory())
  return existsSync(stack) ? (JSON.parse(readFileSync(stack, 'utf8')) as Stack) : undefined
}
