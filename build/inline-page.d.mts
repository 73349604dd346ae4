export declare function inlinePage(): {
  name: string
  enforce: 'pre'
  resolveId(id: string, importer: string | undefined): string | null
  load(id: string): Promise<string | null>
}
