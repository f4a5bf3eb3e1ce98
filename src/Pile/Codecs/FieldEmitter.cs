// Compiles the writing and reading of a type's fields. DynamicMethod and not expression trees, because only it can set
// readonly fields. Single values call the wire directly, all else its formatter; order and bytes are the reflection plan's.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Reflection.Emit;

namespace Pile.Codecs;

/// <summary>Makes compiled field access.</summary>
internal static class FieldEmitter
{
    private const BindingFlags Any = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
    private static readonly FieldInfo _wire = typeof(GraphReader).GetField(nameof(GraphReader.Wire), Any)!;

    /// <summary>Types that the wire writes and reads itself, under these names.</summary>
    private static readonly Dictionary<Type, string> _direct = new()
    {
        [typeof(bool)] = "Bool",
        [typeof(sbyte)] = "SByte",
        [typeof(byte)] = "Byte",
        [typeof(short)] = "Int16",
        [typeof(ushort)] = "UInt16",
        [typeof(int)] = "Int32",
        [typeof(uint)] = "UInt32",
        [typeof(long)] = "Int64",
        [typeof(ulong)] = "UInt64",
        [typeof(char)] = "Char",
        [typeof(float)] = "Single",
        [typeof(double)] = "Double",
        [typeof(decimal)] = "Decimal",
        [typeof(Guid)] = "Guid",
        [typeof(DateTime)] = "DateTime",
        [typeof(DateTimeOffset)] = "DateTimeOffset",
        [typeof(string)] = "String",
    };

    /// <param name="fields">The fields, in order.</param>
    /// <param name="formatters">Theirs.</param>
    /// <param name="isList">Whether the last field holds another T kept by these fields: then the code is a loop.</param>
    internal static FieldsWrite<T> EmitWrite<T>(FieldInfo[] fields, Formatter[] formatters, bool isList)
    {
        DynamicMethod method = Begin<T>("Write", typeof(GraphWriter));
        ILGenerator il = method.GetILGenerator();
        LoadTarget<T>(il);
        Label again = il.DefineLabel();
        il.MarkLabel(again);
        for (int index = 0; index < fields.Length; index++)
        {
            FieldInfo field = fields[index];
            if (isList && index == fields.Length - 1)
            {
                EmitWriteNext(il, field, index, again);
            }
            else if (DirectName(field.FieldType) is { } name)
            {
                il.Emit(OpCodes.Ldarg_1);
                il.Emit(OpCodes.Ldloc_0);
                il.Emit(name == "Guid" ? OpCodes.Ldflda : OpCodes.Ldfld, field);
                il.Emit(OpCodes.Call, WriteMethod(name));
            }
            else
            {
                LoadFormatter(il, index);
                il.Emit(OpCodes.Ldarg_1);
                il.Emit(OpCodes.Ldloc_0);
                il.Emit(OpCodes.Ldfld, field);
                il.Emit(OpCodes.Callvirt, FormatterMethod(field.FieldType, nameof(Formatter<>.Write)));
            }
        }

        il.Emit(OpCodes.Ret);
        return method.CreateDelegate<FieldsWrite<T>>(formatters);
    }

    /// <inheritdoc cref="EmitWrite"/>
    internal static FieldsRead<T> EmitRead<T>(FieldInfo[] fields, Formatter[] formatters, bool isList)
    {
        DynamicMethod method = Begin<T>("Read", typeof(GraphReader).MakeByRefType());
        ILGenerator il = method.GetILGenerator();
        LoadTarget<T>(il);
        Label again = il.DefineLabel();
        il.MarkLabel(again);
        for (int index = 0; index < fields.Length; index++)
        {
            FieldInfo field = fields[index];
            if (isList && index == fields.Length - 1)
            {
                EmitReadNext<T>(il, field, index, again);
                continue;
            }

            il.Emit(OpCodes.Ldloc_0);
            if (DirectName(field.FieldType) is { } name)
            {
                il.Emit(OpCodes.Ldarg_1);
                if (name != "String")
                {
                    il.Emit(OpCodes.Ldflda, _wire);
                }

                il.Emit(OpCodes.Call, ReadMethod(name));
            }
            else
            {
                LoadFormatter(il, index);
                il.Emit(OpCodes.Ldarg_1);
                il.Emit(OpCodes.Callvirt, FormatterMethod(field.FieldType, nameof(Formatter<>.Read)));
            }

            il.Emit(OpCodes.Stfld, field);
        }

        il.Emit(OpCodes.Ret);
        return method.CreateDelegate<FieldsRead<T>>(formatters);
    }

    /// <summary>Goes on with the object in the last field when its header was written.</summary>
    private static void EmitWriteNext(ILGenerator il, FieldInfo field, int index, Label again)
    {
        LoadFormatter(il, index);
        il.Emit(OpCodes.Ldarg_1);
        il.Emit(OpCodes.Ldloc_0);
        il.Emit(OpCodes.Ldfld, field);
        il.Emit(OpCodes.Dup);
        il.Emit(OpCodes.Stloc_0);
        il.Emit(OpCodes.Ldc_I4, index + 1);
        il.Emit(OpCodes.Call, NextMethod(field.FieldType, "WriteNext"));
        il.Emit(OpCodes.Brtrue, again);
    }

    /// <summary>Goes on with the object in the last field when it was made.</summary>
    private static void EmitReadNext<T>(ILGenerator il, FieldInfo field, int index, Label again)
    {
        LocalBuilder next = il.DeclareLocal(typeof(T));
        LoadFormatter(il, index);
        il.Emit(OpCodes.Ldarg_1);
        il.Emit(OpCodes.Ldc_I4, index + 1);
        il.Emit(OpCodes.Ldloca, next);
        il.Emit(OpCodes.Call, NextMethod(field.FieldType, "ReadNext"));
        il.Emit(OpCodes.Ldloc_0);
        il.Emit(OpCodes.Ldloc, next);
        il.Emit(OpCodes.Stfld, field);
        il.Emit(OpCodes.Ldloc, next);
        il.Emit(OpCodes.Stloc_0);
        il.Emit(OpCodes.Brtrue, again);
    }

    private static MethodInfo NextMethod(Type type, string name) => typeof(ExactFormatter<>).MakeGenericType(type).GetMethod(name, Any)!;

    private static DynamicMethod Begin<T>(string name, Type through) => new(
        $"{name} {typeof(T)}", typeof(void), [typeof(Formatter[]), through, typeof(T).MakeByRefType()], typeof(T), skipVisibility: true);

    /// <summary>Local 0: the object of a class, or the reference to a struct.</summary>
    private static void LoadTarget<T>(ILGenerator il)
    {
        il.DeclareLocal(typeof(T).IsValueType ? typeof(T).MakeByRefType() : typeof(T));
        il.Emit(OpCodes.Ldarg_2);
        if (!typeof(T).IsValueType)
        {
            il.Emit(OpCodes.Ldind_Ref);
        }

        il.Emit(OpCodes.Stloc_0);
    }

    private static void LoadFormatter(ILGenerator il, int index)
    {
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Ldc_I4, index);
        il.Emit(OpCodes.Ldelem_Ref);
    }

    private static string? DirectName(Type type) =>
        _direct.GetValueOrDefault(type.IsEnum ? Enum.GetUnderlyingType(type) : type);

    private static MethodInfo WriteMethod(string name) =>
        (name == "String" ? typeof(GraphWriter) : typeof(WireWriter)).GetMethod("Write" + name, Any)!;

    private static MethodInfo ReadMethod(string name) =>
        (name == "String" ? typeof(GraphReader) : typeof(WireReader)).GetMethod("Read" + name, Any)
            ?? typeof(WireReaderValues).GetMethod("Read" + name, BindingFlags.Static | BindingFlags.NonPublic)!;

    private static MethodInfo FormatterMethod(Type type, string name) =>
        typeof(Formatter<>).MakeGenericType(type).GetMethod(name, Any)!;
}
