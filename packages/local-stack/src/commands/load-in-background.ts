import { readDemoShop } from '../demo-shop/demo-shop-file.ts'
import { loadDemoShop } from '../demo-shop/load-demo-shop.ts'
import { payToday } from '../demo-shop/pay-today.ts'
import type { ReportProgress } from '../machine/progress.ts'
import { describeError } from '../machine/user-error.ts'
import { feedServiceCommand } from '../services/feed-service-command.ts'
import { localSettings } from '../stack/service-command.ts'

interface BackgroundLoad {
  dir: string
  hostedUrl: string
  signal: AbortSignal
  report: ReportProgress
}

/** Loads the past of the demo shop beside a running stack, which a failure of the load does not stop. */
export async function loadInBackground({ dir, hostedUrl, signal, report }: BackgroundLoad): Promise<void> {
  if (readDemoShop(dir)?.loaded === 1) return
  report('loading 90 days of a demo shop in the background: npm run status shows how far that is')
  try {
    await loadDemoShop({
      dir,
      hostedUrl,
      run: async (service, command, input, onLine) =>
        feedServiceCommand(service, command, { env: await localSettings(service), input, onLine, signal }),
      payToday: key => payToday({ url: hostedUrl, key }),
    })
    report('the demo shop is loaded')
  } catch (error) {
    if (!signal.aborted) report(`the demo shop could not be loaded, npm start tries again: ${describeError(error)}`)
  }
}
