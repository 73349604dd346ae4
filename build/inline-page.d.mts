export declare function inlinePage(options?: { readonly quick?: boolean }): {
  name: string
  enforce: 'pre'
  resolveId(id: string, importer: string | undefined): string | null
  load(id: string): Promise<string | null>
}
