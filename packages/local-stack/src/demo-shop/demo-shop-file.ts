import { existsSync, readFileSync } from 'node:fs'
import type { Id } from '@cobro/contracts'
import { stackFiles } from '../layout/stack-paths.ts'
import { writePrivateFile } from '../machine/private-files.ts'

/** The demo shop of a stack's directory, and how far the load of its past is. */
export interface DemoShopFile {
  merchant_id: Id<'mrc'>
  /** Null if the start that created it was interrupted before it was stored: a key is shown only once. */
  api_key: string | null
  /** From 0 to 1; 1 when everything is loaded. */
  loaded: number
}

/** Reads the file, or returns undefined if no load has begun. */
export function readDemoShop(dir: string): DemoShopFile | undefined {
  const { demoShop } = stackFiles(dir)
  return existsSync(demoShop) ? JSON.parse(readFileSync(demoShop, 'utf8')) : undefined
}

export const writeDemoShop = (dir: string, shop: DemoShopFile): void => writePrivateFile(stackFiles(dir).demoShop, shop)

/** Returns a line about the load for people, or undefined if none has begun. */
export function demoShopStatus(dir: string): string | undefined {
  const shop = readDemoShop(dir)
  return shop && `demo data: ${shop.loaded === 1 ? 'loaded' : `${Math.floor(shop.loaded * 100)} %`}`
}
