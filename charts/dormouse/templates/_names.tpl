{{- define "dormouse.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "dormouse.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "dormouse.selectorLabels" -}}
app.kubernetes.io/name: {{ include "dormouse.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- /*
The Job before uninstalling. Its pod cannot be changed, so each version of the chart and of the values has a Job of its own: a
second `kubectl apply` of the rendered chart would fail otherwise.
*/ -}}
{{- define "dormouse.release.job" -}}
{{- $version := list .Chart.Version .Chart.AppVersion .Values | toJson | sha256sum | trunc 8 -}}
{{- printf "%s-release-%s" (include "dormouse.fullname" . | trunc 46 | trimSuffix "-") $version -}}
{{- end -}}

{{- /* The labels of every object; pods have their component, too. */ -}}
{{- define "dormouse.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "dormouse.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: dormouse
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "dormouse.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (ternary (include "dormouse.fullname" .) "default" .Values.serviceAccount.create) -}}
{{- end -}}

{{- /* The account's username, as the API server knows it. */ -}}
{{- define "dormouse.username" -}}
system:serviceaccount:{{ .Release.Namespace }}:{{ include "dormouse.serviceAccount" . }}
{{- end -}}

{{- define "dormouse.image" -}}
{{- with .Values.image -}}
{{- .repository -}}
{{- if .digest -}}@{{ .digest }}{{- else -}}:{{ .tag | default $.Chart.AppVersion }}{{- end -}}
{{- end -}}
{{- end -}}
