using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;

namespace Pile.Tests.Codecs;

/// <summary>Unions as F# compiles them, from a line such as <c>Open|Closed of item|Void of item</c>: all values are integers, but those called text. <c>struct</c> before it makes a struct.
/// F#'s library is not here: a mark of the same name is made.</summary>
internal static class UnionTypes
{
    private const BindingFlags Any = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;
    private const TypeAttributes NestedClass = TypeAttributes.NestedPublic | TypeAttributes.Class;
    private static readonly ConstructorInfo _mark = MakeMark();

    /// <summary>A union of an assembly; the type Holder beside it has a field Value of it. Beside a struct without text are Laid, which has one at its first bytes and a Number behind it,
    /// and Mixed, in which the Number is at these bytes too.</summary>
    /// <param name="line">Its cases.</param>
    /// <param name="assembly">The name of its assembly.</param>
    /// <param name="name">Its name.</param>
    /// <param name="former">The name that a <see cref="PileNameAttribute"/> on it has.</param>
    /// <param name="isMarked">Whether F#'s mark is on it: without that it is stored as a type of any other language is, and as by builds that knew no cases.</param>
    /// <param name="isTrimmed">Whether a linker has taken the names of the cases away.</param>
    internal static Type Define(string line, string assembly = "Shop", string name = "Shop.State", string? former = null, bool isMarked = true, bool isTrimmed = false)
    {
        bool isStruct = line.StartsWith("struct ", StringComparison.Ordinal);
        (string Name, string[] Values)[] cases = Array.ConvertAll((isStruct ? line[7..] : line).Split('|'), static part =>
        {
            string[] words = part.Split(' ');
            return (words[0], words.Length > 2 ? words[2..] : []);
        });
        bool hasTag = cases.Length > 1 && (isStruct || cases.Length > 3 || Array.TrueForAll(cases, static at => at.Values.Length == 0));
        bool areClasses = !isStruct && cases.Length > 1;

        ModuleBuilder module = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName(assembly), AssemblyBuilderAccess.RunAndCollect).DefineDynamicModule(assembly);
        TypeBuilder union = module.DefineType(
            name, TypeAttributes.Public | (areClasses && !hasTag ? TypeAttributes.Abstract : isStruct || !cases.Any(static at => at.Values.Length > 0) ? TypeAttributes.Sealed : 0), isStruct ? typeof(ValueType) : typeof(object));
        if (isMarked)
        {
            union.SetCustomAttribute(new CustomAttributeBuilder(_mark, [1]));
        }

        if (former is not null)
        {
            union.SetCustomAttribute(new CustomAttributeBuilder(typeof(PileNameAttribute).GetConstructors()[0], [former]));
        }

        if (hasTag)
        {
            _ = union.DefineField("_tag", typeof(int), FieldAttributes.Assembly);
        }

        List<TypeBuilder> nested = [];
        TypeBuilder tags = union.DefineNestedType(isTrimmed ? "Other" : "Tags", NestedClass | TypeAttributes.Abstract | TypeAttributes.Sealed);
        for (int number = 0; number < cases.Length; number++)
        {
            tags.DefineField(cases[number].Name, typeof(int), FieldAttributes.Public | FieldAttributes.Static | FieldAttributes.Literal).SetConstant(number);
            bool isClass = areClasses && (!hasTag || cases[number].Values.Length > 0);
            TypeBuilder at = isClass ? union.DefineNestedType((cases[number].Values.Length == 0 ? "_" : "") + cases[number].Name, NestedClass, union) : union;
            foreach (string value in cases[number].Values)
            {
                _ = at.DefineField(value, value == "text" ? typeof(string) : typeof(int), FieldAttributes.Assembly);
            }

            if (isClass)
            {
                nested.Add(at);
            }
        }

        TypeBuilder holder = module.DefineType("Shop.Holder", TypeAttributes.Public | TypeAttributes.Sealed);
        _ = holder.DefineField("Value", union, FieldAttributes.Public);
        Type made = union.CreateType();
        _ = tags.CreateType();
        nested.ForEach(static at => at.CreateType());
        _ = holder.CreateType();
        if (isStruct && !line.Contains("text", StringComparison.Ordinal))
        {
            DefineLaid(module, "Shop.Laid", made, 32);
            DefineLaid(module, "Shop.Mixed", made, 0);
        }

        return made;
    }

    private static void DefineLaid(ModuleBuilder module, string name, Type union, int offset)
    {
        TypeBuilder laid = module.DefineType(name, TypeAttributes.Public | TypeAttributes.Sealed | TypeAttributes.ExplicitLayout, typeof(ValueType));
        laid.DefineField("Value", union, FieldAttributes.Public).SetOffset(0);
        laid.DefineField("Number", typeof(int), FieldAttributes.Public).SetOffset(offset);
        _ = laid.CreateType();
    }

    /// <summary>A value, as <see cref="Show"/> says it.</summary>
    internal static object Make(Type union, string text)
    {
        string[] words = text.Split(' ');
        object value = RuntimeHelpers.GetUninitializedObject(ClassOf(union, words[0]) ?? union);
        union.GetField("_tag", Any)?.SetValue(value, Array.IndexOf(NamesOf(union), words[0]));
        FieldInfo[] fields = ValuesOf(value.GetType(), words[0]);
        for (int index = 1; index < words.Length; index++)
        {
            fields[index - 1].SetValue(value, int.Parse(words[index], CultureInfo.InvariantCulture));
        }

        return value;
    }

    /// <summary>The value in a Holder of the same assembly.</summary>
    internal static object Hold(object value)
    {
        object holder = Activator.CreateInstance(HolderOf(value.GetType()))!;
        holder.GetType().GetField("Value")!.SetValue(holder, value);
        return holder;
    }

    internal static Type HolderOf(Type type) => type.Assembly.GetType("Shop.Holder")!;

    /// <summary>The case of a value and what it holds, as F#'s code would see it.</summary>
    internal static string Show(object value)
    {
        Type type = value.GetType();
        Type union = type.IsNested ? type.BaseType! : type;
        string name = union.GetField("_tag", Any) is { } tag ? NamesOf(union)[(int)tag.GetValue(value)!] : type.IsNested ? type.Name.TrimStart('_') : NamesOf(union)[0];
        return type == (ClassOf(union, name) ?? union)
            ? string.Join(' ', ValuesOf(type, name).Select(field => string.Create(CultureInfo.InvariantCulture, $"{field.GetValue(value)}")).Prepend(name))
            : $"{name} in the class of {type.Name}";
    }

    private static string[] NamesOf(Type union) => Array.ConvertAll(union.GetNestedType("Tags")!.GetFields(Any), static field => field.Name);

    private static Type? ClassOf(Type union, string name) => union.GetNestedType(name, Any) ?? union.GetNestedType($"_{name}", Any);

    /// <summary>In a struct each case has a value of its own initial, or none.</summary>
    private static FieldInfo[] ValuesOf(Type type, string name) =>
        Array.FindAll(type.GetFields(Any | BindingFlags.DeclaredOnly), field => !field.IsStatic && field.Name != "_tag" && (!type.IsValueType || field.Name == $"v{name}"));

    private static ConstructorInfo MakeMark()
    {
        ModuleBuilder module = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("FSharp.Core"), AssemblyBuilderAccess.Run).DefineDynamicModule("FSharp.Core");
        TypeBuilder mark = module.DefineType("Microsoft.FSharp.Core.CompilationMappingAttribute", TypeAttributes.Public, typeof(Attribute));
        ILGenerator code = mark.DefineConstructor(MethodAttributes.Public, CallingConventions.Standard, [typeof(int)]).GetILGenerator();
        code.Emit(OpCodes.Ldarg_0);
        code.Emit(OpCodes.Call, typeof(Attribute).GetConstructor(BindingFlags.Instance | BindingFlags.NonPublic, [])!);
        code.Emit(OpCodes.Ret);
        return mark.CreateType().GetConstructor([typeof(int)])!;
    }
}
