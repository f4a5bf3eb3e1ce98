// Descriptions as JSON text. Objects are objects with $type; sequences of nothing but items are arrays. An object that is met
// more than once has $id and is written once, then as $ref; so is a long text or block, as $value beside its $id, or else a few bytes that refer to it
// would be all of it again. Objects nested too deep for common readers stand behind the root under $more and are referred to.
using System;
using System.Buffers;
using System.Collections.Generic;
using System.Globalization;
using System.Numerics;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Pile.Codecs;

/// <summary>Writes one JSON text.</summary>
internal sealed class DescriptionJson : IDisposable
{
    /// <summary>Characters or elements of a single value from which on it is referred to: a reference takes some twenty.</summary>
    private const int SharedLengthMin = 64;

    private readonly ArrayBufferWriter<byte> _bytes = new();
    private readonly Utf8JsonWriter _json;
    private readonly Dictionary<PileDescription, int> _ids = new(ReferenceEqualityComparer.Instance);
    private readonly HashSet<PileDescription> _written = new(ReferenceEqualityComparer.Instance);
    private readonly Queue<PileDescription> _more = [];

    private DescriptionJson() => _json = new Utf8JsonWriter(_bytes, new JsonWriterOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, Indented = true });

    /// <summary>The text of a description.</summary>
    internal static string Write(PileDescription root)
    {
        using var writer = new DescriptionJson();
        return writer.WriteAll(root);
    }

    /// <inheritdoc/>
    public void Dispose() => _json.Dispose();

    private string WriteAll(PileDescription root)
    {
        // Without $more first: most values need none.
        WriteValue(root, 0);
        _json.Flush();
        if (_more.Count == 0)
        {
            return Encoding.UTF8.GetString(_bytes.WrittenSpan);
        }

        byte[] first = _bytes.WrittenSpan.ToArray();
        _bytes.ResetWrittenCount();
        _json.Reset(_bytes);
        _json.WriteStartObject();
        _json.WritePropertyName("$root");
        _json.WriteRawValue(first, skipInputValidation: true);
        _json.WriteStartArray("$more");
        while (_more.TryDequeue(out PileDescription? next))
        {
            if (!_written.Contains(next))
            {
                WriteValue(next, 2);
            }
        }

        _json.WriteEndArray();
        _json.WriteEndObject();
        _json.Flush();
        return Encoding.UTF8.GetString(_bytes.WrittenSpan);
    }

    private void WriteValue(PileDescription value, int depth)
    {
        if (!value.IsObject)
        {
            WriteSingleOrReference(value);
            return;
        }

        bool isDeep = depth > CodecLimits.NestingMax - 4;
        if (isDeep || _written.Contains(value))
        {
            if (!_written.Contains(value))
            {
                _more.Enqueue(value);
            }

            WriteReference(value);
            return;
        }

        _written.Add(value);
        bool hasId = value.References > 1 || _ids.ContainsKey(value);
        if (value.Members.Count == 0 && !hasId && value.Items.Count > 0)
        {
            WriteItems(value, depth);
            return;
        }

        _json.WriteStartObject();
        if (hasId)
        {
            _json.WriteNumber("$id", IdOf(value));
        }

        if (value.TypeName.Length > 0)
        {
            _json.WriteString("$type", value.TypeName);
        }

        foreach ((string name, PileDescription member) in value.Members)
        {
            _json.WritePropertyName(name);
            WriteValue(member, depth + 1);
        }

        if (value.Items.Count > 0)
        {
            _json.WritePropertyName("$items");
            WriteItems(value, depth + 1);
        }

        _json.WriteEndObject();
    }

    private void WriteItems(PileDescription value, int depth)
    {
        _json.WriteStartArray();
        foreach (PileDescription item in value.Items)
        {
            WriteValue(item, depth + 1);
        }

        _json.WriteEndArray();
    }

    /// <summary>Writes a single value; a long one that is met more than once only the first time.</summary>
    private void WriteSingleOrReference(PileDescription value)
    {
        if (value.References == 1 || !IsLong(value.Value))
        {
            WriteSingle(value);
        }
        else if (_written.Add(value))
        {
            _json.WriteStartObject();
            _json.WriteNumber("$id", IdOf(value));
            _json.WritePropertyName("$value");
            WriteSingle(value);
            _json.WriteEndObject();
        }
        else
        {
            WriteReference(value);
        }
    }

    private static bool IsLong(object? value) => value switch
    {
        string text => text.Length >= SharedLengthMin,
        Array block => block.Length >= SharedLengthMin,
        BigInteger number => number.GetByteCount() >= SharedLengthMin,
        _ => false,
    };

    private void WriteReference(PileDescription value)
    {
        _json.WriteStartObject();
        _json.WriteNumber("$ref", IdOf(value));
        _json.WriteEndObject();
    }

    private void WriteSingle(PileDescription value)
    {
        switch (value.Value)
        {
            case null:
                _json.WriteNullValue();
                break;
            case bool flag:
                _json.WriteBooleanValue(flag);
                break;
            case sbyte or byte or short or ushort or int or uint or long:
                _json.WriteNumberValue(Convert.ToInt64(value.Value, CultureInfo.InvariantCulture));
                break;
            case ulong number:
                _json.WriteNumberValue(number);
                break;
            case decimal number:
                _json.WriteNumberValue(number);
                break;
            case double number when double.IsFinite(number):
                _json.WriteNumberValue(number);
                break;
            case float number when float.IsFinite(number):
                _json.WriteNumberValue(number);
                break;
            case byte[] bytes:
                _json.WriteBase64StringValue(bytes);
                break;
            case Array array:
                _json.WriteStartArray();
                foreach (object item in array)
                {
                    WriteSingle(new PileDescription("", item));
                }

                _json.WriteEndArray();
                break;
            case DateTime or DateTimeOffset or DateOnly or TimeOnly:
                _json.WriteStringValue(((IFormattable)value.Value).ToString("O", CultureInfo.InvariantCulture));
                break;
            case string text:
                // A lone surrogate has no place in JSON text: it becomes U+FFFD.
                _json.WriteStringValue(text);
                break;
            case BigInteger number:
                _json.WriteStringValue(TextOf(number));
                break;
            default:
                _json.WriteStringValue(Convert.ToString(value.Value, CultureInfo.InvariantCulture));
                break;
        }
    }

    /// <summary>A number of any size, in decimal digits or, beyond <see cref="CodecLimits.DecimalBitsMax"/>, in hexadecimal ones.</summary>
    internal static string TextOf(BigInteger number) => number.GetBitLength() <= CodecLimits.DecimalBitsMax
        ? number.ToString(CultureInfo.InvariantCulture)
        : $"{(number.Sign < 0 ? "-" : "")}0x{BigInteger.Abs(number).ToString("x", CultureInfo.InvariantCulture).TrimStart('0')}";

    private int IdOf(PileDescription value)
    {
        if (!_ids.TryGetValue(value, out int id))
        {
            _ids.Add(value, id = _ids.Count + 1);
        }

        return id;
    }
}
