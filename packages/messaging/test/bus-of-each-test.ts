import { type BusUnderTest, busUnderTest } from './bus-under-test.ts'

/** The bus of the test that runs: in a file that imports this each test has one of its own. */
export let bus: BusUnderTest

beforeEach(async () => {
  bus = await busUnderTest()
})
afterEach(async () => {
  await bus.release()
  await bus.stop()
})
