export declare function inlineText(): {
  name: string
  enforce: 'pre'
  resolveId(id: string, importer: string | undefined): string | null
  load(id: string): string | null
}
