{{- /* CEL: two maps have the same entries, but for the keys that are free. */ -}}
{{- define "dormouse.policy.same" -}}
{{ .new }}.all(key, {{ .free }} ||
  (key in {{ .old }} && {{ .new }}[key] == {{ .old }}[key])) &&
{{ .old }}.all(key, {{ .free }} || key in {{ .new }})
{{- end -}}

{{- /* Whom the policies bind. */ -}}
{{- define "dormouse.policy.account" -}}
- name: by-dormouse
  expression: {{ printf "request.userInfo.username == %s" (include "dormouse.username" . | include "dormouse.cel.quoted") | quote }}
{{- end -}}
