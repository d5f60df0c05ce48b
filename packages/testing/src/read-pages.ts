/** Returns the rows of a list, read page by page along the links to the next one. */
export async function readPages(get: (path: string) => Promise<Response>, start: string): Promise<any[]> {
  const rows: any[] = []
  for (let path: string | undefined = start; path; ) {
    const response = await get(path)
    rows.push(...((await response.json()) as { data: object[] }).data)
    path = /^<(\/.*)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1]
  }
  return rows
}
