import { existsSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { root } from '../support/source.js'

const official = join(root, 'test/frameworks/agones-sdk/node_modules/@google-cloud/agones-sdk/src/index.d.ts')

test.skipIf(!existsSync(official))(
  'our class can be assigned to the official one but for alpha, and has members that the official one lacks',
  () => {
    const file = join(root, 'test/frameworks/agones-sdk-consumer.ts')
    const code = `
    import Official from ${JSON.stringify(official.replace('.d.ts', ''))}
    import Beta from ${JSON.stringify(official.replace('index.d.ts', 'beta'))}
    import AgonesSDK from 'gameserver-sidecar/agones-sdk'
    const sdk = new AgonesSDK()
    export const checked: Omit<Official, 'alpha'> & { beta: Beta } = sdk
    const none: Exclude<keyof Official, keyof AgonesSDK | 'alpha'> = undefined as never
    // @ts-expect-error it has more
    const more: Exclude<keyof AgonesSDK, keyof Official> = undefined as string
    void [none, more]`
    const options: ts.CompilerOptions = {
      strict: true,
      noEmit: true,
      types: [],
      lib: ['lib.es2022.d.ts'],
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
    }
    const host = ts.createCompilerHost(options)
    const { getSourceFile, fileExists } = host
    host.fileExists = (name) => name === file || fileExists(name)
    host.getSourceFile = (name, ...rest) =>
      name === file ? ts.createSourceFile(name, code, ts.ScriptTarget.ES2022) : getSourceFile(name, ...rest)
    const program = ts.createProgram([file], options, host)
    const messages = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
    expect(messages).toEqual([])
  },
)
