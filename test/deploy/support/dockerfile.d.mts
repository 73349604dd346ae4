type Instruction =
  | {
      readonly keyword: 'COPY'
      readonly from?: string
      readonly chmod?: string
      readonly sources: readonly string[]
      readonly to: string
    }
  | { readonly keyword: 'RUN'; readonly command: string }
  | { readonly keyword: 'ENV'; readonly variables: Readonly<Record<string, string>> }
  | { readonly keyword: 'WORKDIR'; readonly path: string }
  | { readonly keyword: 'USER'; readonly user: string }
  | { readonly keyword: 'EXPOSE'; readonly port: number }
  | { readonly keyword: 'ENTRYPOINT' | 'CMD'; readonly words: readonly string[] }

export interface Stage {
  readonly image: string
  readonly name: string
  readonly instructions: readonly Instruction[]
}

export function readDockerfile(text: string): Stage[]
