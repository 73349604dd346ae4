import { toJsonSchema } from '@valibot/to-json-schema'
import { changes, command, milliseconds, natural, operation, texts } from '../src/schema/control-command.js'
import { gameServer } from '../src/schema/game-server.js'
import { scenario } from '../src/schema/scenario.js'

/** The schema of scenarios as JSON Schema, for editors. */
export const scenarioSchema = {
  ...toJsonSchema(scenario, {
    target: 'draft-07',
    // Leaves out checks that JSON Schema can't express.
    errorMode: 'ignore',
    // Editors need neither null types nor the rule that keys are strings.
    overrideSchema: ({ valibotSchema, jsonSchema: { propertyNames: _, ...json } }) =>
      valibotSchema.type === 'nullish' ? (json.anyOf?.[0] as typeof json) : json,
    definitions: { command, gameServer, milliseconds, natural, operation, texts, ...changes },
  }),
  $id: 'https://gameserver-sidecar.dev/scenario.schema.json',
  title: 'A scenario of gameserver-sidecar',
}
