import { text } from 'node:stream/consumers'
import { type DemoHistory, type DemoProgress, demoHistory } from '@cobro/contracts/demo'
import type { Database } from '@cobro/database'
import { commonSettings, type OnStop, otherDatabaseUrl, readConfig } from '@cobro/runtime'
import { z } from 'zod'
import { openSchema } from './open-connections.ts'
import { printResult } from './print-result.ts'

const settings = z.object({ COBRO_ENV: commonSettings.shape.COBRO_ENV, DATABASE_URL: otherDatabaseUrl })

interface DemoLoad {
  schema: string
  entities: Parameters<typeof openSchema>[1]['entities']
  /** Stores what is missing of the history, in batches, and reports after each how far it is. */
  load: (db: Database, history: DemoHistory, report: (progress: DemoProgress) => void) => Promise<void>
}

/**
 * Returns the command `load-demo` of a service, which stores its part of a demo merchant's past. It reads the past from the standard
 * input, as JSON, and prints its progress. Production refuses it.
 */
export function demoCommand({ schema, entities, load }: DemoLoad) {
  return {
    'load-demo': async (onStop: OnStop): Promise<void> => {
      const { COBRO_ENV, DATABASE_URL } = readConfig(settings)
      if (COBRO_ENV === 'production')
        throw new Error('load-demo stores payments that never happened: not in production.')
      const history = demoHistory.parse(JSON.parse(await text(process.stdin)))
      await load(openSchema(DATABASE_URL, { schema, entities }, onStop), history, printResult)
    },
  }
}
