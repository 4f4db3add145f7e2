{{- /* The entries of `kinds`, those of presets in place of their names (`presets.json`, which `npm run chart` writes). As JSON. */ -}}
{{- define "dormouse.kinds.entries" -}}
{{- $presets := .Files.Get "presets.json" | fromJson -}}
{{- $entries := list -}}
{{- range .Values.config.kinds | default list -}}
{{- if .preset -}}{{- $entries = concat $entries (get $presets .preset).kinds -}}{{- else -}}{{- $entries = append $entries . -}}{{- end -}}
{{- end -}}
{{ toJson $entries }}
{{- end -}}

{{- /* The configured kinds, a list for each API group: `argoproj.io: [rollouts]`. As JSON. */ -}}
{{- define "dormouse.kinds.configured" -}}
{{- $groups := dict -}}
{{- range include "dormouse.kinds.entries" . | fromJsonArray -}}
{{- $parts := splitn "." 2 .resource -}}
{{- $_ := set $groups $parts._1 (append (get $groups $parts._1 | default list) $parts._0) -}}
{{- end -}}
{{ toJson $groups }}
{{- end -}}

{{- /* Rules of RBAC with `verbs`, one for each API group and in the order of the alphabet. `kinds` are the built-in ones. */ -}}
{{- define "dormouse.kinds.rules" -}}
{{- $groups := deepCopy .kinds -}}
{{- range $group, $resources := include "dormouse.kinds.configured" .root | fromJson -}}
{{- $_ := set $groups $group (concat (get $groups $group | default list) $resources) -}}
{{- end -}}
{{- $suffix := .subresource | default "" -}}
{{- range $group := keys $groups | sortAlpha }}
{{- $resources := list -}}
{{- range get $groups $group | sortAlpha }}{{ $resources = append $resources (printf "%s%s" . $suffix) }}{{ end }}
- apiGroups: {{ list $group | toJson }}
  resources: {{ $resources | toJson }}
  verbs: {{ $.verbs | toJson }}
{{- end }}
{{- end -}}

{{- /* The kinds that every installation has, and those of them that have a scale. */ -}}
{{- define "dormouse.kinds.all" -}}
{"apps": ["daemonsets", "deployments", "replicasets", "statefulsets"], "batch": ["cronjobs"]}
{{- end -}}
{{- define "dormouse.kinds.scalable" -}}
{"apps": ["deployments", "replicasets", "statefulsets"]}
{{- end -}}
