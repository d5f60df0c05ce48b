import { type BusUnderTest, busUnderTest } from './bus-under-test.ts'

/** The bus of the current test. */
export let bus: BusUnderTest

/** Gives each test of the calling file a bus of its own. */
export function busOfEachTest(): void {
  beforeEach(async () => {
    bus = await busUnderTest()
  })
  afterEach(async () => {
    await bus.release()
    await bus.stop()
  })
}
