/** An autoscaler with the fitting policy, and the other policies as comments: a Fleet takes one autoscaler. */
export const AUTOSCALERS = `# Decides how many servers the Fleet has: kubectl apply -f fleetautoscaler.yaml
{{#others}}
# A Fleet takes one autoscaler: leave only one of these policies uncommented.
{{/others}}
{{#policies}}

# {{or}}{{why}}
{{document}}
{{/policies}}
`

export const AUTOSCALER = `apiVersion: autoscaling.agones.dev/v1
kind: FleetAutoscaler
metadata:
  name: {{name}}
spec:
  fleetName: {{name}}
  policy:
    type: {{type}}
    {{field}}:
{{#key}}
      key: {{key}}
{{/key}}
      bufferSize: {{bufferSize}}
      min{{what}}: {{least}}
      max{{what}}: {{most}}
`
