import { type BusUnderTest, busUnderTest } from './bus-under-test.ts'

/** The bus of the current test: each test of a file that imports this has its own. */
export let bus: BusUnderTest

beforeEach(async () => {
  bus = await busUnderTest()
})
afterEach(async () => {
  await bus.release()
  await bus.stop()
})
