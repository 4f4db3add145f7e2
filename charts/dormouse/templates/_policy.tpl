{{- /* CEL: two maps have the same entries, but for the keys that are free. */ -}}
{{- define "dormouse.policy.same" -}}
{{ .new }}.all(key, {{ .free }} ||
  (key in {{ .old }} && {{ .new }}[key] == {{ .old }}[key])) &&
{{ .old }}.all(key, {{ .free }} || key in {{ .new }})
{{- end -}}
