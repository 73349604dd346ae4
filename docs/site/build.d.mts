/** Of each entry, its name and its reference as Markdown. */
export type Reference = readonly (readonly [name: string, text: string])[]

export interface SiteOptions {
  out?: string
  onMissing?(sentence: string): void
  reference?: Reference
}
export function buildSite(options?: SiteOptions): Promise<{ reference: Reference; pages: string[] }>
